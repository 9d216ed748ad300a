package sweeps

import "time"

// An overlap bound is the longest time for which two holders can believe at once when the only thing
// that goes wrong is what the bound is for: no pause, and a holder that stops as soon as its library
// says so. It is worked out from when the holder's client stops believing and when the service lets
// the next one in. A program that looks from time to time adds as much, as do the messages of the
// next holder's acquire; where the two are not exact, the bound is what happens in the worst case.

// CutOffBound is the bound of a lock with a TTL whose holder is cut off, if the last reply that
// reached it was under way for delay after the service had applied its renewal. It is false of a lock
// that tells its holder nothing, or for which it depends on more than these two.
//
// Sources, read as of the versions that the models follow:
//   - etcd: the client counts the TTL from when the reply comes in, and its deadlineLoop looks once a second
//     (etcd-io/etcd, client/v3/lease.go); the lessor revokes from the TTL after the renewal on
//     (server/lease/lessor.go).
//   - client-go: the leader stops a RetryPeriod and a RenewDeadline after the reply, candidates wait
//     a LeaseDuration after they have seen the record (kubernetes/client-go,
//     tools/leaderelection/leaderelection.go).
//   - ZooKeeper: the client is disconnected after two thirds of the session timeout without a word
//     (apache/zookeeper, ClientCnxn.java), and Curator's programs stop then.
//   - Redlock: the client counts from before its first request (the Redis documentation, Distributed Locks
//     with Redis), and so does the DynamoDB lock client (awslabs/amazon-dynamodb-lock-client, LockItem.java).
func CutOffBound(lock string, ttl, delay time.Duration) (time.Duration, bool) {
	switch lock {
	case "etcd":
		return delay + time.Second, true
	case "k8s-lease":
		renewDeadline := 2 * ttl / 3 // the defaults are 15 s, 10 s and 2 s
		return max(0, delay+renewDeadline/5+renewDeadline-ttl), true
	case "zookeeper", "redlock", "dynamodb":
		return 0, true
	}
	return 0, false
}

// CutOffWithoutBound is why [CutOffBound] has none for a lock.
func CutOffWithoutBound(lock string) string {
	switch lock {
	case "redis", "redis-replica", "dbrow":
		return "its client is told nothing, and goes on"
	case "chubby", "consul", "hazelcast":
		return "what its client hears, and when, depends on more than the delay"
	}
	return "none was worked out"
}

// RedlockDriftBound is the bound of Redlock when the clocks of a majority of its servers run faster by
// rhoPPM parts per million: the client believes until TTL - (T2 - T1) - drift after T2, with a drift of a hundredth
// of the TTL and 2 ms, and a key is gone when TTL / (1 + rho) have passed since it was set, which is
// after T1.
//
// Sources: the Redis documentation, Distributed Locks with Redis, for the validity; antirez/redlock-rb,
// lib/redlock.rb, for the drift.
func RedlockDriftBound(ttl time.Duration, rhoPPM int64) time.Duration {
	believes := ttl - ttl/100 - 2*time.Millisecond
	lives := time.Duration(float64(ttl) / (1 + float64(rhoPPM)/1e6))
	return max(0, believes-lives)
}

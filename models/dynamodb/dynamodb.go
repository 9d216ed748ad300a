// Package dynamodb is the Amazon DynamoDB Lock Client.
//
// Server: one item in a table. The service serves consistent reads, and writes under a
// condition; it has no clock and expires nothing. It is one host that stands for the service
// of a region, as a linearizable store (Amazon DynamoDB Developer Guide, Read consistency;
// Condition expressions).
//
// Client (awslabs/amazon-dynamodb-lock-client, AmazonDynamoDBLockClient.java and
// LockItem.java): the item has a lease duration and a random version. Who finds an item
// waits until its version has not changed for that duration, on his own monotonic clock and
// from when the read was answered, and then writes his own under the condition that the
// version is still the same. A thread gives each held lock a new version every heartbeat
// period. The holder counts its lease from before the write was sent, and the challenger
// from after a read: whatever the network does lies between the two.
//
// # What the application does
//
// It asks isExpired; nobody tells it of a loss unless it sets a session monitor. Acquire
// gives up when the item's lease and an additional second are over, which tryAcquireLock of
// the documented example (README.md) reports as no lock: the program goes on to its next
// cycle. That is what a waiter meets whose lock is held and renewed.
//
// # The SDK
//
// The client library of the service repeats requests that were not answered or found the
// service unavailable (aws/aws-sdk-java-v2 DynamoDbRetryPolicy.java). A write that was
// applied and not answered fails its own condition then. A holder takes the lock for lost,
// and a challenger waits for a lease that is its own.
//
// # Left out
//
// Throttling; the limits on connections; expired credentials; global tables, which are not
// linearizable; the item's data and additional attributes, sort keys, reentrant
// acquisition, and owner names: the versions alone tell items apart. The method ensure.
// Threads that wait at a lock item's monitor, except that a release waits for a heartbeat.
package dynamodb

import (
	"slices"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/rng"
)

// Lock is the lock client with its table.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "dynamodb",
		Summary: "the Amazon DynamoDB Lock Client on one item of a table",
		Sources: []string{
			"awslabs/amazon-dynamodb-lock-client README.md, AmazonDynamoDBLockClient.java, LockItem.java, SessionMonitor.java",
			"aws/aws-sdk-java-v2 services/dynamodb DynamoDbRetryPolicy.java, http-client-spi SdkHttpConfigurationOption.java",
			"Amazon DynamoDB Developer Guide, Read consistency; Condition expressions",
		},
		Promise:    "from the instant the service applies a put or a heartbeat, for the lease duration in the item",
		Granted:    "the service applies the put",
		Removal:    "the item is deleted, by an operator or by the table's TTL (Developer Guide, Using time to live)",
		LeaseClock: "each challenger's own, monotonic",
		Notice:     "none: the program asks isExpired, or sets a session monitor",
		Role:       "dynamodb",
		Servers:    1,
		Durable:    models.Always,
		Renews:     models.Always,
		Params:     params,
		Validate:   validate,
		Takeover:   takeover,
		Steps: slices.Concat(models.StepsOfAcquire, models.StepsOfRenewal, []models.Step{
			{Name: stepRead, Doc: "the item has been read, its time has not been taken"},
			{Name: stepPut, Doc: "the lock is judged free, the client's lease has begun: the put has not been sent"},
		}),
	}
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{env: e, config: configOf(e.Params), random: make([]rng.Stream, len(e.Clients)), clients: make([]*client, len(e.Clients))}
	s.table = &table{system: s, host: e.Servers("dynamodb", 1)[0]}
	s.table.host.Server = s.table
	return s
}

type system struct {
	env     *models.Env
	config  config
	table   *table
	random  []rng.Stream // by client
	clients []*client
}

func (s *system) Reset() {
	s.table.reset()
	for i := range s.random {
		s.random[i] = s.env.Stream("dynamodb.client", i)
		s.Locker(i)
	}
}

// Remove implements [models.Remover].
func (s *system) Remove(_, order int) { models.Order(s.table.host, 0, order) }

// Locker implements [models.System].
func (s *system) Locker(index int) models.Locker {
	s.clients[index] = &client{system: s, random: &s.random[index]}
	return s.clients[index]
}

// awaited reports whether a client waits for the answer to the put of a version.
func (s *system) awaited(hold history.HoldID, version int64) bool {
	return s.clients[s.env.Recorder.Hold(hold).Client].awaits == version
}

// abandon records that a client will never learn that it has the lock: it has taken its own
// put for another's, or waits for it no longer.
func (s *system) abandon(hold history.HoldID) {
	s.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold, Text: "nobody waits for its put"})
}

// Package all registers the lock systems that fencepost ships.
package all

import (
	"fencepost/models"
	"fencepost/models/advisory"
	"fencepost/models/chubby"
	"fencepost/models/consul"
	"fencepost/models/dbrow"
	"fencepost/models/dynamodb"
	"fencepost/models/etcd"
	"fencepost/models/hazelcast"
	"fencepost/models/k8slease"
	"fencepost/models/local"
	"fencepost/models/redis"
	"fencepost/models/redisreplica"
	"fencepost/models/redlock"
	"fencepost/models/zookeeper"
)

// Locks returns every built-in lock system, in the order in which they are listed.
func Locks() []models.Lock {
	return []models.Lock{
		local.New(),
		dbrow.New(),
		redis.New(),
		redisreplica.New(),
		redlock.New(),
		etcd.New(),
		zookeeper.New(),
		chubby.New(),
		consul.New(),
		hazelcast.New(),
		k8slease.New(),
		dynamodb.New(),
		advisory.New(),
	}
}

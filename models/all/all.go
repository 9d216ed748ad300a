// Package all registers the lock systems that fencepost ships.
package all

import (
	"fencepost/models"
	"fencepost/models/consul"
	"fencepost/models/dbrow"
	"fencepost/models/etcd"
	"fencepost/models/k8slease"
	"fencepost/models/local"
	"fencepost/models/redis"
	"fencepost/models/redlock"
	"fencepost/models/zookeeper"
)

// Locks returns every built-in lock system, in the order in which they are listed.
func Locks() []models.Lock {
	return []models.Lock{
		local.New(),
		dbrow.New(),
		redis.New(),
		redlock.New(),
		etcd.New(),
		zookeeper.New(),
		consul.New(),
		k8slease.New(),
	}
}

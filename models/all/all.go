// Package all registers the lock systems that fencepost ships.
package all

import (
	"fencepost/models"
	"fencepost/models/etcd"
	"fencepost/models/local"
	"fencepost/models/redis"
	"fencepost/models/redlock"
)

// Locks returns every built-in lock system, in the order in which they are listed.
func Locks() []models.Lock {
	return []models.Lock{local.New(), redis.New(), redlock.New(), etcd.New()}
}

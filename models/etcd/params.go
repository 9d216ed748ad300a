package etcd

import (
	"time"

	"fencepost/models"
	"fencepost/sim/network"
)

// Messages between clients and members, and between members beside raft's. A reply has
// an op of its own, so that a fault can catch one and not the other.
var (
	OpGrant          = network.NewOp("etcd.grant")
	OpGrantReply     = network.NewOp("etcd.grant.reply")
	OpTxn            = network.NewOp("etcd.txn")
	OpTxnReply       = network.NewOp("etcd.txn.reply")
	OpPrevious       = network.NewOp("etcd.previous") // the youngest key older than Token
	OpGet            = network.NewOp("etcd.get")
	OpRangeReply     = network.NewOp("etcd.range.reply")
	OpWatch          = network.NewOp("etcd.watch")
	OpWatchCreated   = network.NewOp("etcd.watch.created")
	OpWatchEvent     = network.NewOp("etcd.watch.event")
	OpDelete         = network.NewOp("etcd.delete")
	OpDeleteReply    = network.NewOp("etcd.delete.reply")
	OpRevoke         = network.NewOp("etcd.revoke") // a client closes its session
	OpRevokeReply    = network.NewOp("etcd.revoke.reply")
	OpKeepAlive      = network.NewOp("etcd.keepalive")
	OpKeepAliveReply = network.NewOp("etcd.keepalive.reply")
	OpRenew          = network.NewOp("etcd.renew") // a member forwards a keepalive
	OpRenewReply     = network.NewOp("etcd.renew.reply")
)

// dialKeepAlive is how long a connection may be quiet before the client asks whether
// it is alive. etcdctl asks for 2 s (etcdctl/ctlv3/ctl.go, keepalive-time), which gRPC
// raises to its own floor of 10 s (grpc-go, dialoptions.go, WithKeepaliveParams).
const dialKeepAlive = 10 * time.Second

var params = []models.Param{
	models.TTL(60*time.Second, time.Second,
		"TTL of the session's lease, in whole seconds (rounded up), which the server raises to 2 at least; concurrency.NewSession asks for 60, etcdctl lock for 10"),
	{Name: "servers", Unit: models.Count, Default: 3, Min: 1, Max: 9,
		Doc: "members; a majority is needed. Heartbeat 100 ms, election timeout 1 s (embed/config.go)"},
	{Name: "timeout", Unit: models.Duration, Default: int64(requestTimeout), Min: int64(time.Millisecond),
		Doc: "how long a client waits for a reply before it goes on to the next member; clientv3 has no such deadline unless the program gives its requests one: 7 s is when a member that lives gives a request up (config.go, ReqTimeout)"},
	clientParam, leaderCheckParam, checkpointParam,
}

var steps = append(append([]models.Step{}, models.StepsOfAcquire...),
	models.Step{Name: "session.grant", Doc: "a new session is needed: its lease has not been asked for"},
	models.Step{Name: "wait", Doc: "somebody is ahead: the watch on his key has not been sent"},
	models.Step{Name: "keepalive.send", Doc: "a keepalive is due: nothing has been sent"},
	models.Step{Name: "keepalive.sent", Doc: "a keepalive has been sent, its reply is not in"},
	models.Step{Name: "keepalive.reply", Doc: "the reply to a keepalive is in and has been stamped with the client's time"},
)

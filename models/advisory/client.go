package advisory

import (
	"cmp"
	"errors"

	"fencepost/models"
	"fencepost/sim/history"
	"fencepost/sim/host"
	"fencepost/sim/network"
)

// client is the program's database driver with the connection for the lock.
type client struct {
	system *system
	conn   *connection // nil is none
	hold   history.HoldID
	failed bool // the program has seen the connection fail since it has the lock
}

// connection is the client's end of one.
type connection struct {
	client  *client
	server  *server
	session int64
	held    bool  // the program was told that it has the lock
	closed  bool  // the client's host knows
	why     error // it was closed
}

// errLost is what a driver returns for a connection that was closed.
var errLost = errors.New("connection lost")

var errEnded = errors.New("the server has ended the session")

const stepToken = "acquire.token"

// connect opens a connection to the primary, and tries until it has one.
func (c *client) connect(p *host.Process) {
	for {
		to := c.system.servers[c.system.primary]
		reply, err := p.Call(to.host.Addr(), network.Body{Op: OpConnect}, min(connectTimeout, c.system.config.timeout))
		if err == nil && reply.OK {
			c.conn = &connection{client: c, server: to, session: reply.Key}
			conn := c.conn
			p.Go("connection", conn.listen)
			return
		}
		p.Sleep(connectPause)
	}
}

// listen is what the client's end of the socket hears while nobody reads from it: that it is
// closed, or reset.
func (k *connection) listen(q *host.Process) {
	call := q.Send(k.server.host.Addr(), network.Body{Op: OpListen, Key: k.session, Hold: k.client.hold})
	_, err := q.Reply(call, q.Now().Add(host.Forever))
	k.close(q, err)
}

// close notes that the connection is no more, because of an error or, if that is nil, because
// the server says that there is no session. What was promised in it ends here: the client could
// know. The other end is told if it does not know, as a kernel does with FIN or RST.
func (k *connection) close(p *host.Process, err error) {
	if k.closed {
		return
	}
	k.closed, k.why = true, cmp.Or(err, errEnded)
	if h := k.server.holder; k.held || h != nil && h.id == k.session {
		env := k.client.system.env
		env.Recorder.Add(history.Record{Kind: history.Promise, Hold: k.client.hold, Until: env.Fleet.World.Now()})
	}
	if err != nil {
		p.Send(k.server.host.Addr(), network.Body{Op: OpGone, Key: k.session})
	}
}

// use runs a command on the connection.
func (c *client) use(p *host.Process, b network.Body) (network.Message, error) {
	k := c.conn
	if k.closed {
		return network.Message{}, errLost
	}
	b.Key, b.Hold = k.session, c.hold
	reply, err := p.Call(k.server.host.Addr(), b, c.system.config.timeout)
	switch {
	case err != nil:
		k.close(p, err)
	case reply.Op == OpClosed:
		k.close(p, nil)
		err = errLost
	}
	return reply, err
}

// run is use by a driver that may hide that the connection is another. What it knows of a loss
// is noted, whether it tells the program or not.
func (c *client) run(p *host.Process, what string, b network.Body) (network.Message, error) {
	for {
		k := c.conn
		reply, err := c.use(p, b)
		if err == nil {
			return reply, nil
		}
		lost := what + ": connection lost (" + k.why.Error() + ")"
		if !c.system.config.silent {
			c.failed = true
			c.note(p, lost)
			return reply, err
		}
		c.connect(p)
		c.note(p, lost+"; the driver has connected anew, without the lock, and tries again")
	}
}

func (c *client) note(p *host.Process, text string) { c.system.env.Note(p.Host(), c.hold, text) }

// Acquire implements [models.Locker]. After an error the program tries again on a new
// connection; a pool hands out none that is known to be closed.
func (c *client) Acquire(p *host.Process, hold history.HoldID) (models.Grant, error) {
	c.hold, c.failed = hold, false
	for {
		if c.conn == nil || c.conn.closed {
			c.connect(p)
		}
		p.Step("acquire.send")
		_, err := c.use(p, network.Body{Op: OpLock})
		p.Step("acquire.reply")
		if err != nil {
			continue
		}
		c.conn.held = true
		if !c.system.config.token {
			return models.Grant{}, nil
		}
		p.Step(stepToken)
		if reply, err := c.use(p, network.Body{Op: OpNext}); err == nil {
			return models.Grant{Token: reply.Token}, nil
		}
		c.system.env.Recorder.Add(history.Record{Kind: history.ReleaseBegin, Hold: hold, Text: "has no token"})
	}
}

// Valid implements [models.Locker]: the driver has returned no error.
func (c *client) Valid(*host.Process) bool { return !c.failed }

// Renew implements [models.Renewer]: a query on the lock's connection, which renews nothing
// and finds out whether that is still there. With a driver that connects anew in silence it
// finds out nothing: the query succeeds in a session without the lock, and so does this.
func (c *client) Renew(p *host.Process) error {
	p.Step("renew.send")
	_, err := c.run(p, "query", network.Body{Op: OpQuery})
	p.Step("renew.reply")
	return err
}

// Release implements [models.Locker]. The connection is kept for the next time.
func (c *client) Release(p *host.Process) error {
	if c.conn == nil {
		return models.ErrNotHeld // it has never connected
	}
	p.Step("release.send")
	reply, err := c.run(p, "unlock", network.Body{Op: OpUnlock})
	p.Step("release.reply")
	c.conn.held = false
	if err == nil && !reply.OK {
		err = models.ErrNotHeld
	}
	return err
}

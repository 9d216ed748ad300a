// Package k8slease is the leader election of Kubernetes' client-go on a Lease object.
//
// Server: an API server with one Lease. An update names the resourceVersion that it was
// based on and is refused if that is no longer the current one (Kubernetes documentation,
// API Concepts, Resource versions). That is all the service does: it has no clock and
// expires nothing.
//
// Client: each candidate reads the record and waits until it has not changed for the lease
// duration that it states, on the candidate's own monotonic clock and counted from when the
// candidate first saw it. Then it overwrites it. The leader writes the record anew every
// retry period; if no write succeeds for a renew deadline, it stops leading
// (kubernetes/client-go tools/leaderelection/leaderelection.go, tryAcquireOrRenew and renew;
// resourcelock/leaselock.go). The package comment there says that it does not guarantee a
// single acting leader and does no fencing.
//
// Three things follow from the source that its comments do not tell:
//
//   - A leader that reads another's name in the record goes on polling until the renew
//     deadline. It may even take the lock back meanwhile, in the same term, without the
//     program hearing of either.
//   - The context of the program is cancelled after the lease has been released, not
//     before. With release-on-cancel a leader that is cut off tries to release first, and
//     waits for that to time out while its program goes on.
//   - Whether a record has changed is decided from its JSON, in which the time of renewal
//     has whole seconds (apimachinery pkg/apis/meta/v1/time.go, MarshalJSON). A leader whose
//     wall clock stands renews without anybody seeing it.
//
// # What the application does
//
// It acts until the context that OnStartedLeading was given is cancelled, or asks IsLeader:
// the parameter ask. When it is done it cancels the context that it gave to Run, which
// releases the lease only if ReleaseOnCancel is set.
//
// # Left out
//
// The etcd behind the API server: it is one server that never forgets and never disagrees
// with another. A change of etcd's leader is a time without answers here. Also caches
// between the two, priority and fairness, and admission; other writers of the same object
// (but for the fault that deletes it); coordinated leader election and the recovery mode, which are
// both off by default; the health check that kills a leader that should have stopped
// (healthzadaptor.go); and acquireTime, which changes only together with the holder.
package k8slease

import (
	"slices"

	"fencepost/models"
	"fencepost/sim/rng"
)

// Lock is the leader election.
type Lock struct{}

// New returns the lock system.
func New() models.Lock { return Lock{} }

// Describe implements [models.Lock].
func (Lock) Describe() models.Description {
	return models.Description{
		Name:    "k8s-lease",
		Summary: "Kubernetes client-go leader election on a Lease object",
		Sources: []string{
			"kubernetes/client-go tools/leaderelection/leaderelection.go, resourcelock/leaselock.go",
			"kubernetes/apimachinery pkg/util/wait/backoff.go, pkg/apis/meta/v1/time.go",
			"Kubernetes documentation, API Concepts, Resource versions",
		},
		Promise:    "from the instant the API server applies an update that changes the record, which one in the second of the last does not, for the lease duration in it",
		Granted:    "the API server applies the update that names another holder",
		Token:      "leaseTransitions of the Lease, counted from 1, or its resourceVersion; see the parameter token",
		TokenWith:  models.TokenAsked,
		Check:      "timer",
		Removal:    "the Lease is deleted (kubectl delete lease); whoever asks first makes it anew, with leaseTransitions that begin at 0",
		LeaseClock: "each challenger's own, monotonic",
		Notice:     "the leading context is cancelled when no renewal has succeeded for the renew deadline",
		Role:       "apiserver",
		Servers:    1,
		Durable:    models.Always,
		Renews:     models.Always,
		Params:     params,
		Steps: slices.Concat(models.StepsOfAcquire, models.StepsOfRenewal, []models.Step{
			{Name: "acquire.update", Doc: "the lock is judged free: the update has not been sent"},
			{Name: "renew.update", Doc: "a renewal has read the record anew: its update has not been sent"},
			{Name: stepLost, Doc: "the renew deadline has passed: the program's context is not cancelled yet"},
		}),
		Validate: validate,
		Takeover: takeover,
	}
}

// Build implements [models.Lock].
func (Lock) Build(e *models.Env) models.System {
	s := &system{env: e}
	s.server = newAPIServer(e, e.Servers("apiserver", 1)[0])
	for range e.Clients {
		s.clients = append(s.clients, client{})
	}
	return s
}

type system struct {
	env     *models.Env
	server  *apiServer
	clients []client
}

// client is what outlives the processes of a client.
type client struct {
	random rng.Stream // for the jitter
	lives  int64      // processes so far
}

func (s *system) Reset() {
	s.server.reset()
	for i := range s.clients {
		s.clients[i] = client{random: s.env.Stream("k8s-lease.jitter", i)}
	}
}

// Remove implements [models.Remover].
func (s *system) Remove(_, order int) { models.Order(s.server.host, 0, order) }

// Locker implements [models.System].
func (s *system) Locker(index int) models.Locker {
	c := &s.clients[index]
	c.lives++
	p := s.env.Params
	e := &elector{env: s.env, server: s.server.host, random: &c.random, config: configOf(p, index)}
	e.identity = int64(index + 1)
	if p.Choice(identityParam.Name) == identityOfProcess {
		e.identity += c.lives * identityOfLife
	}
	return e
}

// identityOfLife keeps the identities of a client's processes apart from those of others.
const identityOfLife = 1000

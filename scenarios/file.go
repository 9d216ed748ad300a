package scenarios

import (
	"fencepost/models/client"
	"fencepost/sim/history"
)

// file is the form of a scenario file. Every leaf is a scalar, so that it keeps its
// place for errors and may name parameters.
type file struct {
	Name     *scalar            `yaml:"name"`
	Title    *scalar            `yaml:"title"`
	About    *scalar            `yaml:"about"`
	Source   *scalar            `yaml:"source"`
	Incident *incidentPart      `yaml:"incident"`
	Tags     []*scalar          `yaml:"tags"`
	Until    *scalar            `yaml:"until"`
	Params   map[string]*scalar `yaml:"params"`
	Lock     map[string]*scalar `yaml:"lock"`
	Network  *networkPart       `yaml:"network"`
	Disk     *diskPart          `yaml:"disk"`
	Clocks   *clocksPart        `yaml:"clocks"`
	Resource *resourcePart      `yaml:"resource"`
	Wake     *scalar            `yaml:"wake"`
	Progress *progressPart      `yaml:"progress"`
	Clients  []clientPart       `yaml:"clients"`
	Faults   []faultPart        `yaml:"faults"`
	Random   *randomPart        `yaml:"random"`
	For      map[string]forPart `yaml:"for"`
	Expect   []expectPart       `yaml:"expect"`
	Chart    *chartPart         `yaml:"chart"`
	Closed   *closedPart        `yaml:"closed-form"`
	Arch     *scalar            `yaml:"arch"`

	Variants map[string]*file `yaml:"variants"`
	Boundary *boundaryPart    `yaml:"boundary"`
}

func (file) describe() mapping {
	return mapping{
		name:  "top level",
		about: "All but `name`, `variants` and `boundary` may stand in a [variant](scenarios.md#variants) too.",
		keys: []key{
			{name: "name", takes: scenarioName, needed: true, fixed: true, doc: "what it is called"},
			{name: "title", takes: text, fixed: true, doc: "what it is about, in one line"},
			{name: "about", takes: text, fixed: true, doc: "what happens"},
			{name: "source", takes: text, fixed: true, doc: "where the case comes from"},
			{name: "until", takes: duration, def: "5m", doc: "when the run ends at the latest; at least `1ms`. The lease must be shorter"},
			{name: "params", takes: text, fixed: true, doc: "parameters with their defaults, see [parameters](scenarios.md#parameters)"},
			{name: "lock", takes: paramOfLock, def: "the lock's own", doc: "parameters of lock systems, see [the lock systems](locks.md). One that a lock does not have is ignored for that lock; one that no lock has is an error"},
			{name: "network", doc: "what the links are like"},
			{name: "disk", doc: "what the servers' disks are like"},
			{name: "clocks", doc: "what the clocks are like"},
			{name: "resource", doc: "what the thing is like that the lock protects"},
			{name: "wake", takes: words(sortedKeys(wakes)...), def: "due-order", doc: "in which order a host handles what piled up during a pause"},
			{name: "progress", doc: "what counts as progress"},
			{name: "clients", needed: true, least: 1, most: history.MaxClients, doc: "1 to 64 clients, numbered from 1 in this order; an entry may stand for several"},
			{name: "faults", doc: "what goes wrong, as a story"},
			{name: "random", doc: "what goes wrong, as weather"},
			{name: "for", doc: "what one lock has of its own, under its name"},
			{name: "expect", doc: "which verdict is expected; later entries win"},
			{name: "chart", doc: "the sweep that `reproduce --out` draws; a variant has its own or none"},
			{name: "closed-form", doc: "what a rate can be worked out from"},
			{name: "arch", takes: yesOrNo, def: "false", fixed: true, doc: "a mark for fencepost's own check: the digests are compared on every architecture each time"},
			{name: "incident", doc: "the public report that it encodes"},
			{name: "tags", takes: scenarioName, fixed: true, doc: "words by which a part of a suite is chosen"},
			{name: "variants", doc: "cases that differ in a few keys, under their names, see [variants](scenarios.md#variants)"},
			{name: "boundary", doc: "a value of a parameter at which a verdict flips; it makes two variants"},
		},
	}
}

type diskPart struct {
	Fsync *scalar `yaml:"fsync"`
}

func (diskPart) describe() mapping {
	return mapping{name: "disk", about: "The disks of servers.", keys: []key{
		{name: "fsync", takes: distribution, def: "0s", doc: "time to make a write durable, for locks whose servers wait for their disk"},
	}}
}

// progressPart says what counts as progress beyond what each lock declares.
type progressPart struct {
	StarvedAfter *scalar `yaml:"starved-after"`
	From         *scalar `yaml:"from"`
}

func (progressPart) describe() mapping {
	return mapping{name: "progress", about: "What counts as progress beyond what each lock declares.", keys: []key{
		{name: "starved-after", takes: count(1), def: "never", doc: "progress is violated too if a client that waits is passed over more often than this"},
		{name: "from", takes: duration, def: "0s", doc: "what was amiss before then does not count, such as while faults struck"},
	}}
}

type clientPart struct {
	Count           *scalar `yaml:"count"`
	Start           *scalar `yaml:"start"`
	Cycles          *scalar `yaml:"cycles"`
	Think           *scalar `yaml:"think"`
	BeforeRead      *scalar `yaml:"before-read"`
	Between         *scalar `yaml:"between"`
	AfterWrite      *scalar `yaml:"after-write"`
	Check           *scalar `yaml:"check"`
	CheckPeriod     *scalar `yaml:"check-period"`
	OnLoss          *scalar `yaml:"on-loss"`
	StopLatency     *scalar `yaml:"stop-latency"`
	Renew           *scalar `yaml:"renew"`
	RenewLate       *scalar `yaml:"renew-late"`
	RenewTimes      *scalar `yaml:"renew-times"`
	RenewOnError    *scalar `yaml:"renew-on-error"`
	RenewOnLoss     *scalar `yaml:"renew-on-loss"`
	ReleaseDelay    *scalar `yaml:"release-delay"`
	ReleaseAttempts *scalar `yaml:"release-attempts"`
	UnownedRelease  *scalar `yaml:"unowned-release"`
	RequestTimeout  *scalar `yaml:"request-timeout"`
	RequestAttempts *scalar `yaml:"request-attempts"`
	Prunes          *scalar `yaml:"prunes"`
	at              spot
}

func (clientPart) describe() mapping {
	return mapping{
		name: "client",
		about: "The three stretches of work keep the processor busy: a pause inside one makes it end later by the whole length of the pause. " +
			"`start` and `think` are waits: a pause that ends before they do makes no difference to them. " +
			"A client whose check fails, or whose request is rejected or times out, releases and starts no further cycle.",
		keys: []key{
			{name: "count", takes: count(1), def: "1", doc: "how many clients are like this, each numbered for itself. All of a scenario are at most 64"},
			{name: "start", takes: duration, def: "0s", doc: "when the client starts"},
			{name: "cycles", takes: count(1), def: "1", doc: "how often it acquires, works and releases"},
			{name: "think", takes: distribution, def: "0s", doc: "time between two cycles"},
			{name: "before-read", takes: distribution, def: "0s", doc: "work between acquire and the read"},
			{name: "between", takes: distribution, def: "0s", doc: "work between the read and the write"},
			{name: "after-write", takes: distribution, def: "0s", doc: "work between the write and the release"},
			{name: "check", takes: words(client.Checks...), def: "the lock's", doc: "when it asks its library whether it still holds the lock: never, before the write, `every` time before the read and before the write, or `timer`, which is also again and again while it works: a program that is told of a loss by a channel or a context. A library that keeps no deadline says yes to the question as long as it has not been told of a loss, and one that is never told says yes always; [validity](validity.md) says which. Without the key, it does what the documented example of the lock's library does, which `list locks` prints"},
			{name: "check-period", takes: duration, def: defaultCheckPeriod.String(), doc: "how often it looks up from its work, with `check: timer`"},
			{name: "on-loss", takes: words(client.OnLosses...), def: string(client.StopOnLoss), doc: "what it does when it hears that the lock is lost"},
			{name: "stop-latency", takes: distribution, def: "0s", doc: "how long it goes on after it has noticed a loss: an orderly shutdown, in which it still sends what it is about to send"},
			{name: "renew", takes: duration, def: "never", doc: "how often it asks its library to renew the lock while it holds it, if that has such a call and does not renew by itself"},
			{name: "renew-late", takes: distribution, def: "0s", doc: "by how much each renewal is late"},
			{name: "renew-times", takes: count(1), def: "no end", doc: "after how many renewals of a hold the loop stops"},
			{name: "renew-on-error", takes: words(client.OnErrors...), def: string(client.RenewOn), doc: "what the loop does when a renewal is not answered"},
			{name: "renew-on-loss", takes: words(client.OnErrors...), def: string(client.QuitRenewing), doc: "what the loop does when the library says that the lock is lost: it ends, or goes on as loops do that look at no answer"},
			{name: "release-delay", takes: distribution, def: "0s", doc: "from the end of the section to the release"},
			{name: "release-attempts", takes: count(1), def: "1", doc: "how often it tries to release, should there be no answer"},
			{name: "unowned-release", takes: yesOrNo, def: "false", doc: "it releases also what it did not acquire, as code does whose release stands in a clean-up block around the acquire"},
			{name: "request-timeout", takes: duration, def: defaultTimeout.String(), doc: "how long it waits for the resource; then it releases and stops"},
			{name: "request-attempts", takes: count(1), def: "1", doc: "how often it sends a request that is not answered. The key by which the resource can know it again stays the same"},
			{name: "prunes", takes: yesOrNo, def: "false", doc: "with `resource: {kind: references}`, it deletes what nobody refers to"},
		},
	}
}

// forPart is what one lock system has of its own.
type forPart struct {
	NotApplicable *scalar            `yaml:"n/a"`
	Lock          map[string]*scalar `yaml:"lock"`
	Faults        []faultPart        `yaml:"faults"`
}

func (forPart) describe() mapping {
	return mapping{name: "lock of its own", about: "What one lock has of its own, under its name.", keys: []key{
		{name: "n/a", takes: reasonText, doc: "this lock is not run; the value is the reason, and nothing else stands beside it"},
		{name: "lock", takes: paramOfLock, doc: "parameters of this lock; they outrank the general ones"},
		{name: "faults", doc: "faults in addition to the general ones"},
	}}
}

package scenarios

import (
	"strings"
	"testing"

	"fencepost/models/resource"
)

// minimal is a scenario that is right; tests break it in one place.
const minimal = `name: mine
until: 30s
params:
  ttl: 10s
lock:
  ttl: $ttl
clients:
  - between: 50ms
  - start: 1s
faults:
  - pause: {client: 1, for: 15s}
    when: {client: 1, step: write.send}
`

// check loads a scenario as the command line does, up to the first error.
func check(t *testing.T, content, locks string, values map[string]string) error {
	t.Helper()
	s, err := Parse("mine.yaml", []byte(content))
	if err != nil {
		return err
	}
	r := registry(t)
	selected := r.Locks()
	if locks != "" {
		selected = nil
		for _, name := range strings.Split(locks, ",") {
			l, ok := r.Find(name)
			if !ok {
				t.Fatalf("no lock %q", name)
			}
			selected = append(selected, l)
		}
	}
	in, err := s.Instantiate(r, values)
	if err != nil {
		return err
	}
	_, err = in.Plans(selected, []resource.Guard{resource.Guards[0]})
	return err
}

func TestMinimalScenarioIsRight(t *testing.T) {
	if err := check(t, minimal, "", nil); err != nil {
		t.Fatal(err)
	}
}

// TestMistakesSayWhereAndWhat: each mistake is refused with the place at which it
// stands and what would be accepted.
func TestMistakesSayWhereAndWhat(t *testing.T) {
	for _, c := range []struct {
		name, old, new, locks string
		place                 string
		says                  []string
	}{
		{"unknown key", "until: 30s", "until: 30s\nuntill: 5s", "", "mine.yaml:3:1", []string{"untill", "accepted: name, title", "until"}},
		{"unknown key in a client", "between: 50ms", "betwixt: 50ms", "", "mine.yaml:8:5", []string{"betwixt", "accepted: count, start, cycles", "between"}},
		{"not YAML", "params:", "params: [", "", "mine.yaml:5:1", nil},
		{"duplicate key", "until: 30s", "until: 30s\nuntil: 31s", "", "mine.yaml:3:1", []string{"until"}},
		{"wrong unit", "until: 30s", "until: 30 seconds", "", "mine.yaml:2:8", []string{"not a duration", "10s"}},
		{"unknown key in a fault", "client: 1, for", "clinet: 1, for", "", "mine.yaml:11:13", []string{"clinet", "accepted: client, server"}},
		{"unit of words", "between: 50ms", "between: 1 sec", "", "mine.yaml:8:14", []string{"not a duration", "250ms"}},
		{"two documents", "faults:", "---\nfaults:", "", "mine.yaml:1:1", []string{"one YAML document"}},
		{"no unit", "until: 30s", "until: 30", "", "mine.yaml:2:8", []string{"not a duration"}},
		{"negative TTL", "ttl: 10s", "ttl: -10s", "", "mine.yaml:6:8", []string{"ttl", "too small"}},
		{"TTL as long as the run", "ttl: 10s", "ttl: 30s", "", "mine.yaml:6:8", []string{"not shorter than the run", "30s"}},
		{"a bound below zero", "clients:", "clocks: {rho: -100ppm}\nclients:", "", "mine.yaml:7:15", []string{"negative"}},
		{"negative start", "start: 1s", "start: -1s", "", "mine.yaml:9:12", []string{"too short"}},
		{"unknown parameter", "ttl: $ttl", "ttl: $ttk", "", "mine.yaml:6:8", []string{"$ttk", "accepted: ttl"}},
		{"unused parameter", "ttl: $ttl", "ttl: 9s", "", "mine.yaml:4:8", []string{`"ttl" is not used`}},
		{"unknown lock parameter", "  ttl: $ttl", "  ttl: $ttl\n  tll: 5s", "", "mine.yaml:7:8", []string{`"tll"`, "accepted:", "ttl"}},
		{"unknown lock", "clients:", "for:\n  redys: {n/a: nothing}\nclients:", "", "mine.yaml:8:16", []string{`"redys"`, "redlock"}},
		{"unknown lock in expect", "clients:", "expect:\n  - locks: [redys]\nclients:", "", "mine.yaml:8:13", []string{`"redys"`, "redlock"}},
		{"unknown guard in expect", "clients:", "expect:\n  - guards: [fence]\nclients:", "", "mine.yaml:8:14", []string{`"fence"`, "fence-writes"}},
		{"unknown status", "clients:", "expect:\n  - grants: fine\nclients:", "", "mine.yaml:8:13", []string{`"fine"`, "violated"}},
		{"period without a timer", "between: 50ms", "check-period: 50ms", "", "mine.yaml:8:19", []string{"`check: timer`"}},
		{"loss that is never heard of", "between: 50ms", "{check: never, on-loss: ignore}", "", "mine.yaml:8:29", []string{"never hears"}},
		{"latency of who does not stop", "between: 50ms", "{check: every, on-loss: ignore, stop-latency: 1s}", "", "mine.yaml:8:51", []string{"does not stop"}},
		{"renewal policy without renewal", "between: 50ms", "renew-times: 3", "", "mine.yaml:8:18", []string{"`renew:`"}},
		{"all servers of a lock without any", "  - pause: {client: 1, for: 15s}", "  - cut: {client: 1, servers: [all]}", "local", "mine.yaml:11:32", []string{"local has no server"}},
		{"unknown check", "between: 50ms", "check: sometimes", "", "mine.yaml:8:12", []string{`"sometimes"`, "before-write"}},
		{"no such client", "client: 1, for", "client: 3, for", "", "mine.yaml:11:21", []string{"no client 3", "1 to 2"}},
		{"no such step", "write.send", "write.sendd", "", "mine.yaml:12:29", []string{"write.sendd", "write.send", "acquire.reply"}},
		{"two kinds", "pause: {client: 1, for: 15s}", "pause: {client: 1, for: 15s}\n    crash: {client: 1}", "", "mine.yaml:", []string{"exactly one kind"}},
		{"two triggers", "when: {client: 1, step: write.send}", "when: {client: 1, step: write.send}\n    at: 1s", "", "mine.yaml:", []string{"at:", "when:"}},
		{"no trigger", "    when: {client: 1, step: write.send}\n", "", "", "mine.yaml:11:", []string{"at:", "when:"}},
		{"field of another kind", "for: 15s", "for: 15s, by: 3s", "", "mine.yaml:11:38", []string{`does not take "by"`}},
		{"bad distribution", "for: 15s", "for: \"uniform(2s, 1s)\"", "", "mine.yaml:11:29", []string{"uniform"}},
		{"no target", "client: 1, for: 15s", "for: 15s", "", "mine.yaml:11:", []string{"no target"}},
		{"server of nobody selected", "pause: {client: 1,", "pause: {server: 1,", "local", "mine.yaml:11:21", []string{"local has no server"}},
		{"leader of nobody selected", "pause: {client: 1,", "pause: {server: leader,", "redis", "mine.yaml:11:21", []string{"redis has no leader"}},
		{"list for a value", "until: 30s", "until: [30s]", "", "mine.yaml:2:8", []string{"one value"}},
		{"empty value", "until: 30s", "until:", "", "mine.yaml:2:", []string{"missing"}},
		{"bad name", "name: mine", "name: My Scenario", "", "mine.yaml:1:7", []string{"lower-case"}},
		{"no clients", "clients:\n  - between: 50ms\n  - start: 1s\n", "", "", "mine.yaml:1:1", []string{"clients:"}},
		{"commas between braces", "for: 15s", "for: uniform(1s, 2s)", "", "mine.yaml:11:", []string{"needs quotes"}},
		{"a length where nothing lasts", "pause: {client: 1, for: 15s}", "crash: {client: 1}\n    for: 2s", "", "mine.yaml:12:10", []string{"restart:"}},
		{"a stay where nothing lasts", "pause: {client: 1, for: 15s}", "reset: {client: 1}\n    stay: 2s", "", "mine.yaml:12:11", []string{"nothing in this fault lasts"}},
		{"until before from", "when: {client: 1, step: write.send}", "every: 1s\n    from: 5s\n    until: 4s", "", "mine.yaml:14:12", []string{"not after"}},
		{"a slew that no clock can do", "pause: {client: 1, for: 15s}", "clock-slew: {client: 1, by: -20s, for: 15s}", "", "mine.yaml:11:33", []string{"less than", "15s"}},
		{"two signs", "pause: {client: 1, for: 15s}", "clock-step: {client: 1, by: ±-5s}", "", "mine.yaml:11:33", []string{"±-5s"}},
		{"a throttled server", "pause: {client: 1, for: 15s}", "throttle: {server: 1, quota: 1ms}", "redis", "mine.yaml:11:24", []string{"for clients"}},
		{"a disk that nobody waits for", "pause: {client: 1, for: 15s}", "disk-stall: {server: 1, for: 15s}", "redis", "mine.yaml:11:26", []string{"redis waits for no disk"}},
		{"a client's disk", "pause: {client: 1, for: 15s}", "disk-stall: {client: 1, for: 15s}", "", "mine.yaml:11:26", []string{"for servers"}},
		{"an instant after the end", "when: {client: 1, step: write.send}", "at: 31s", "", "mine.yaml:12:9", []string{"ends at 30s"}},
		{"a random layer without faults", "clients:", "random: {swarm: true}\nclients:", "", "mine.yaml:7:9", []string{"no faults"}},
		{"a link from a host to itself", "pause: {client: 1, for: 15s}", "cut: {client: 1, clients: [1]}", "", "mine.yaml:11:", []string{"client 1 at both ends"}},
		{"the length of what has none", "pause: {client: 1, for: 15s}", "clock-step: {client: 1, by: -for}", "", "mine.yaml:11:33", []string{"give the fault `for:`"}},
		{"a resource without its data", "pause: {client: 1, for: 15s}", "crash: {host: resource, restart: 1s, lose: disk}", "", "mine.yaml:11:48", []string{"keeps its data"}},
		{"synchrony without an instant", "clients:", "network: {synchrony: {bound: 1s}}\nclients:", "", "mine.yaml:7:22", []string{"needs `gst:`"}},
		{"kind that is none", "pause: {client", "pawse: {client", "", "mine.yaml:11:5", []string{"pawse", "accepted: pause, suspend"}},
		{"one part of a joint fault", "pause: {client: 1, for: 15s}", "joint: [{pause: {client: 1, for: 15s}}]", "", "mine.yaml:11:", []string{"two parts"}},
		{"a joint part with two kinds", "pause: {client: 1, for: 15s}", "joint: [{pause: {client: 1, for: 1s}, crash: {client: 1}}, {crash: {client: 2}}]", "", "mine.yaml:11:", []string{"part 1", "2 kinds"}},
		{"a kind beside a joint fault", "pause: {client: 1, for: 15s}", "pause: {client: 1, for: 15s}\n    joint: [{crash: {client: 1}}, {crash: {client: 2}}]", "", "mine.yaml:11:", []string{"exactly one kind"}},
		{"no gap", "when: {client: 1, step: write.send}", "every: 0s", "", "mine.yaml:12:12", []string{"never let time pass"}},
		{"bounds without every", "when: {client: 1, step: write.send}", "at: 1s\n    times: 3", "", "mine.yaml:13:12", []string{"every:"}},
		{"nth that is none", "step: write.send", "step: write.send, nth: often", "", "mine.yaml:12:46", []string{"whole number"}},
		{"probability above one", "step: write.send", "step: write.send, probability: 110%", "", "mine.yaml:12:54", []string{"100%"}},
		{"length that is missing", "pause: {client: 1, for: 15s}", "pause: {client: 1}", "", "mine.yaml:11:21", []string{"pause needs `for:`"}},
		{"no peers", "pause: {client: 1, for: 15s}", "cut: {client: 1, for: 15s}", "", "mine.yaml:11:19", []string{"other ends", "servers:"}},
		{"share that is none", "pause: {client: 1, for: 15s}", "loss: {client: 1, share: half}", "", "mine.yaml:11:30", []string{"0.1%", "1/1000"}},
		{"shift that is none", "pause: {client: 1, for: 15s}", "clock-step: {client: 1, by: late}", "", "mine.yaml:11:33", []string{"-5s", "uniform(1ms, 2s)"}},
		{"bandwidth that is none", "pause: {client: 1, for: 15s}", "bandwidth: {client: 1, limit: 10}", "", "mine.yaml:11:35", []string{"10Mbit/s"}},
		{"message that is none", "pause: {client: 1, for: 15s}", "hold: {client: 1, for: 1s, message: mail}", "", "mine.yaml:11:41", []string{`"mail"`, "write", "raft.append"}},
		{"hold without an end", "pause: {client: 1, for: 15s}", "hold: {client: 1, for: 1s, message: set}", "", "mine.yaml:11:41", []string{"needs the host", "servers:"}},
		{"disk of a host that is gone", "pause: {client: 1, for: 15s}", "crash: {client: 1, lose: disk}", "", "mine.yaml:11:30", []string{"restart:"}},
		{"quota above the period", "pause: {client: 1, for: 15s}", "throttle: {client: 1, quota: 1s}", "", "mine.yaml:11:34", []string{"limits nothing"}},
		{"host that is none", "pause: {client: 1, for: 15s}", "pause: {host: moon, for: 1s}", "", "mine.yaml:11:19", []string{`"moon"`, "client/1", "resource"}},
		{"two targets", "pause: {client: 1, for: 15s}", "pause: {client: 1, server: 1, for: 1s}", "", "mine.yaml:11:21", []string{"one target"}},
		{"misspelt step of a random fault", "clients:", "random: {faults: [{pause: {client: 1, for: 1s}, when: {client: 1, step: write.sent!}}]}\nclients:", "", "mine.yaml:7:73", []string{"write.sent!", "accepted:"}},
		{"swarm that is none", "clients:", "random: {swarm: yes, faults: [{pause: {client: 1, for: 1s}, at: 1s}]}\nclients:", "", "mine.yaml:7:17", []string{"true, false"}},
		{"n/a without a reason", "clients:", "for: {redis: {n/a: \"  \"}}\nclients:", "redis", "mine.yaml:7:20", []string{"say why", "redis"}},
		{"parameters of one lock that contradict each other", "clients:", "for: {k8s-lease: {lock: {renew-deadline: 20s}}}\nclients:", "", "mine.yaml:7:", []string{"k8s-lease", "renew-deadline"}},
		{"a lease of one lock that outlives the run", "clients:", "for: {redis: {lock: {ttl: 40s}}}\nclients:", "", "mine.yaml:7:27", []string{"redis", "could never expire"}},
		{"link with one end", "clients:", "network: {links: [{between: [all], delay: 1ms}]}\nclients:", "", "mine.yaml:7:19", []string{"two ends", "client/1"}},
		{"link with an end that is none", "clients:", "network: {links: [{between: [all, moon], delay: 1ms}]}\nclients:", "", "mine.yaml:7:35", []string{`"moon"`, "servers"}},
		{"link that says nothing", "clients:", "network: {links: [{between: [all, resource]}]}\nclients:", "", "mine.yaml:7:30", []string{"delay:"}},
		{"resend without loss", "clients:", "network: {resend: false}\nclients:", "", "mine.yaml:7:19", []string{"loss:"}},
		{"synchrony without a bound", "clients:", "network: {synchrony: {gst: 1s}}\nclients:", "", "mine.yaml:7:22", []string{"bound:"}},
		{"clock that is none", "clients:", "clocks: {all: quartz}\nclients:", "", "mine.yaml:7:15", []string{`"quartz"`, "clock/crystal"}},
		{"no name", "name: mine\n", "", "", "mine.yaml:1:1", []string{"no name"}},
		{"an empty random layer", "clients:", "random: {}\nclients:", "", "mine.yaml:7:9", []string{"no faults"}},
		{"a random layer with an empty list", "clients:", "random: {faults: []}\nclients:", "", "mine.yaml:7:9", []string{"no faults"}},
		{"an empty part", "clients:", "progress: {}\nclients:", "", "mine.yaml:7:11", []string{"says nothing", "accepted: starved-after, from"}},
		{"a word for a mapping", "clients:", "resource: register\nclients:", "", "mine.yaml:7:11", []string{"a mapping was expected here, not one value", "accepted: kind, objects"}},
		{"a list for a mapping", "clients:", "network: [{delay: 1s}]\nclients:", "", "mine.yaml:7:10", []string{"a mapping was expected here, not a list", "accepted: delay"}},
		{"a list for names", "  ttl: 10s", "  [ttl]", "", "mine.yaml:4:3", []string{"a mapping of names was expected here, not a list"}},
		{"a mapping for a list", "clients:\n  - between: 50ms\n  - start: 1s\n", "clients: {between: 50ms}\n", "", "mine.yaml:7:10", []string{"a list was expected here, not a mapping", "dash"}},
		{"a word for a list", "until: 30s", "tags: story", "", "mine.yaml:2:7", []string{"a list was expected here, not one value", "[ and ]"}},
		{"no object", "clients:", "resource: {objects: 0}\nclients:", "", "mine.yaml:7:21", []string{"out of range: 1 to 8"}},
		{"too many objects", "clients:", "resource: {objects: 9}\nclients:", "", "mine.yaml:7:21", []string{"out of range: 1 to 8"}},
		{"client zero", "client: 1, for", "client: 0, for", "", "mine.yaml:11:21", []string{"no client 0", "1 to 2"}},
		{"key of another kind of resource", "clients:", "resource: {kind: references, etag: content}\nclients:", "", "mine.yaml:7:36", []string{"`etag:` says nothing with `kind: references`"}},
		{"a step that is missing", "when: {client: 1, step: write.send}", "when: {client: 1}", "", "mine.yaml:12:11", []string{"needs `client:` and `step:`"}},
		{"one host at both ends, of a lock without servers first", "pause: {client: 1, for: 15s}", "cut: {server: 1, servers: [1], for: 1s}", "local,redis", "mine.yaml:11:32", []string{"cut has redis/1 at both ends", "name another host"}},
		{"a link from a host to itself, as a preset", "clients:", "network: {links: [{between: [client/1, client/1], delay: 1ms}]}\nclients:", "", "mine.yaml:7:40", []string{"both ends"}},
		{"a stay of what fires once", "    when:", "    stay: 2s\n    when:", "", "mine.yaml:12:11", []string{"`stay:` says nothing here"}},
		{"a share of none", "pause: {client: 1, for: 15s}", "loss: {client: 1, share: 0%}", "", "mine.yaml:11:30", []string{"0% says nothing"}},
		{"no delay", "pause: {client: 1, for: 15s}", "slow: {client: 1, delay: 0s}", "", "mine.yaml:11:30", []string{"0s says nothing"}},
		{"no length", "for: 15s", "for: 0s", "", "mine.yaml:11:29", []string{"0s says nothing"}},
		{"no length of the fault", "pause: {client: 1, for: 15s}", "pause: {client: 1}\n    for: 0s", "", "mine.yaml:12:10", []string{"0s says nothing"}},
		{"no share of the takeover", "for: 15s", "for: 0% of takeover", "", "mine.yaml:11:29", []string{"says nothing"}},
		{"a probability of none", "step: write.send", "step: write.send, probability: 0%", "", "mine.yaml:12:54", []string{"the fault never fires"}},
		{"no shift", "pause: {client: 1, for: 15s}", "clock-step: {client: 1, by: 0s}", "", "mine.yaml:11:33", []string{"the clock does not move"}},
		{"a terminal's command", "until: 30s", "title: \"\\e[31mred\"\nuntil: 30s", "", "mine.yaml:2:8", []string{"U+001B is no text"}},
		{"unknown key in a link", "clients:", "network: {links: [{betwixt: [all, all]}]}\nclients:", "", "mine.yaml:7:20", []string{"betwixt", "accepted: delay, loss"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(minimal, c.old) {
				t.Fatalf("the minimal scenario has no %q", c.old)
			}
			err := check(t, strings.Replace(minimal, c.old, c.new, 1), c.locks, nil)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.HasPrefix(err.Error(), c.place) {
				t.Errorf("error %q does not start with %q", err, c.place)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q has more than one line", err)
			}
			for _, word := range c.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
		})
	}
}

// The client that is one too many is pointed at.
func TestTooManyClients(t *testing.T) {
	content := strings.Replace(minimal, "  - start: 1s\n", strings.Repeat("  - start: 1s\n", 64), 1)
	if err := check(t, content, "", nil); err == nil || !strings.HasPrefix(err.Error(), "mine.yaml:72:5: 65 clients: at most 64") {
		t.Error(err)
	}
}

// A parameter may come to nothing, as the one end of a sweep does; and in a variant an empty part takes
// back what the scenario says.
func TestWhatMayComeToNothing(t *testing.T) {
	content := strings.Replace(minimal, "for: 15s", "for: $pause", 1)
	content = strings.Replace(content, "  ttl: 10s", "  ttl: 10s\n  pause: 0s", 1)
	content = strings.Replace(content, "clients:", "progress: {from: 1s}\nvariants: {late: {progress: {}}}\nclients:", 1)
	if err := check(t, content, "", nil); err != nil {
		t.Error(err)
	}
}

// What is drawn may be shorter than its least time, and what comes again has a time between.
func TestStaysThatSaySomething(t *testing.T) {
	for _, fault := range []string{
		"pause: {client: 1, for: \"uniform(0s, 5s)\"}\n    stay: 2s\n    at: 1s", "pause: {client: 1, for: 1s}\n    stay: 2s\n    every: 5s",
		"pause: {client: 1, for: 1s}\n    stay: 2s\n    when: {client: 1, step: write.send, nth: every}",
	} {
		content := minimal[:strings.Index(minimal, "  - pause")] + "  - " + fault + "\n"
		if err := check(t, content, "", nil); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

// What is said for one lock may need what is said for all.
func TestOwnParametersBesideCommonOnes(t *testing.T) {
	content := strings.Replace(minimal, "clients:", "for: {k8s-lease: {lock: {renew-deadline: 20s}}}\nclients:", 1)
	content = strings.Replace(content, "  ttl: 10s", "  ttl: 25s", 1)
	if err := check(t, content, "k8s-lease", nil); err != nil {
		t.Error(err)
	}
}

// TestAFaultThatOneLockLacksIsNotApplicable: with another lock that can have the fault,
// it is no mistake.
func TestAFaultThatOneLockLacksIsNotApplicable(t *testing.T) {
	content := strings.Replace(minimal, "pause: {client: 1,", "pause: {server: 1,", 1)
	s, err := Parse("mine.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t)
	in, err := s.Instantiate(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := in.Plans(r.Locks(), []resource.Guard{resource.Guards[0]})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		want := ""
		if p.Describe.Name == "local" {
			want = "local has no server"
		}
		if p.NotApplicable != want {
			t.Errorf("%s: n/a %q, want %q", p.Name(), p.NotApplicable, want)
		}
	}
}

func TestFilesWithNothingInThem(t *testing.T) {
	for _, content := range []string{"", "\n\n", "# only a comment\n", "---\n", "~\n", "- a\n", "text\n"} {
		err := check(t, content, "", nil)
		if err == nil || !strings.HasPrefix(err.Error(), "mine.yaml:1:1: ") {
			t.Errorf("%q: %v, want an error at mine.yaml:1:1", content, err)
		}
	}
}

func TestSettingAnUndeclaredParameter(t *testing.T) {
	err := check(t, minimal, "", map[string]string{"pause": "3s"})
	if err == nil || !strings.Contains(err.Error(), `"pause" is not a parameter`) || !strings.Contains(err.Error(), "accepted: ttl") {
		t.Errorf("got %v", err)
	}
}

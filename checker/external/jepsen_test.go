package external

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// A history as Jepsen's test of etcd's locks writes it: one map a line, in the order of the
// history, with the nemesis and with times that run backwards.
const etcdLock = `{:type :invoke, :f :acquire, :value nil, :process 3, :time 371408519, :index 0}
{:type :invoke, :f :release, :process 4, :time 584312016, :index 1}
{:type :fail, :f :release, :process 4, :time 584300396, :error :not-held, :index 2}
{:type :info, :f :start, :value {"n1" #{"n2"}}, :process :nemesis, :time 584300397, :index 3}
{:type :ok, :f :acquire, :process 3, :time 584335820, :index 4}
{:type :info, :f :release, :process 3, :time 684335820, :index 5, :error "timed out"}
`

func TestJepsenLock(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(etcdLock), "\n")
	lines[5] = strings.Replace(lines[5], ":info", ":invoke", 1)
	one := strings.Join(lines, "\n")
	for _, text := range []string{one, "[" + one + "]", "(" + one + ")", strings.ReplaceAll(one, "{:type", "#jepsen.history.Op{:type")} {
		h, err := Read("h.edn", text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := []Operation{
			{Line: 1, End: 5, Process: "3", Owner: "3", Op: "acquire", Call: 0, Return: 4},
			{Line: 2, End: 3, Process: "4", Owner: "4", Op: "release", Outcome: Fail, Call: 1, Return: 2},
			{Line: 6, Process: "3", Owner: "3", Op: "release", Outcome: Info, Call: 5, Return: Never},
		}
		if !reflect.DeepEqual(h.Operations, want) || h.Others != 1 || h.Clock != Positions || h.Guessed != nil {
			t.Errorf("%+v, want\n%+v", h, want)
		}
	}
}

func TestJepsenRegister(t *testing.T) {
	text := `[{:type :invoke, :f :read, :value nil, :process 0}
{:type :ok, :f :read, :value 3, :process 0}
{:type :invoke, :f :cas, :value [3 4], :process 1}
{:type :info, :f :cas, :value :timed-out, :process 1}
{:type :invoke, :f :write, :value "x", :process 0}
{:type :ok, :f :write, :value "x", :process 0}]`
	h, err := Read("h", text, Options{Format: Jepsen})
	if err != nil {
		t.Fatal(err)
	}
	want := []Operation{
		{Line: 1, End: 2, Process: "0", Owner: "0", Op: "read", Value: "3", Call: 0, Return: 1},
		{Line: 3, End: 4, Process: "1", Owner: "1", Op: "cas", Expected: "3", Value: "4", Outcome: Info, Call: 2, Return: Never},
		{Line: 5, End: 6, Process: "0", Owner: "0", Op: "write", Value: `"x"`, Call: 4, Return: 5},
	}
	if !reflect.DeepEqual(h.Operations, want) {
		t.Errorf("%+v, want\n%+v", h.Operations, want)
	}
	keyed := `{:type :invoke, :f :read, :value [:x nil], :process 0} {:type :ok, :f :read, :value [:x 3], :process 0}`
	if h, err = Read("h.edn", keyed, Options{Keyed: true}); err != nil {
		t.Fatal(err)
	}
	if op := h.Operations[0]; op.Key != ":x" || op.Value != "3" {
		t.Errorf("%+v", op)
	}
}

// In Hazelcast's tests an answer names the client and the fence. A process of which no answer
// does is the client of its thread, if the number of threads is known.
func TestJepsenHazelcast(t *testing.T) {
	const text = `{:type :invoke, :f :acquire, :value "u1", :process 0}
{:type :ok, :f :acquire, :value {:client "hz.client_1", :fence 7, :uid "u1"}, :process 0}
{:type :invoke, :f :release, :value "u2", :process 0}
{:type :info, :f :release, :value "u2", :process 0, :error :io-exception}
{:type :invoke, :f :release, :value "u3", :process 5}
{:type :fail, :f :release, :value "u3", :process 5, :error :not-lock-owner}
{:type :invoke, :f :acquire, :value "u4", :process 1}
{:type :ok, :f :acquire, :value {:client "hz.client_2", :fence 0, :uid "u4"}, :process 1}
`
	for threads, owner := range map[int]string{0: "5", 5: "hz.client_1", 2: "hz.client_2"} {
		h, err := Read("h.edn", text, Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{h.Operations[0].Owner, h.Operations[1].Owner, h.Operations[2].Owner, h.Operations[3].Owner}
		if want := []string{"hz.client_1", "hz.client_1", owner, "hz.client_2"}; !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads: the owners are %v, want %v", threads, got, want)
		}
		if guessed := len(h.Guessed) > 0; guessed != (threads == 0) {
			t.Errorf("%d threads: guessed are %v", threads, h.Guessed)
		}
		if h.Operations[0].Token != 7 || h.Operations[3].Token != 0 {
			t.Errorf("the tokens are %d and %d", h.Operations[0].Token, h.Operations[3].Token)
		}
	}
}

func TestJepsenErrors(t *testing.T) {
	const invoke = `{:type :invoke, :f :read, :process 0}`
	for _, c := range []struct {
		text, want string
		keyed      bool
	}{
		{text: "\n[" + invoke, want: "2: the '[' of this line is never closed"},
		{text: ":a", want: "1: a map with :type, :process and :f was expected, not a keyword"},
		{text: "[\n1]", want: "2: a map with :type, :process and :f was expected, not an integer"},
		{text: "{:type :invoke, :f :read}", want: "1: :process is missing"},
		{text: "{:process 0, :f :read}", want: "1: :type is missing"},
		{text: "{:process 0, :type :invoke}", want: "1: :f is missing"},
		{text: "{:process 0, :type :start, :f :read}", want: `1: :type: one of :invoke, :ok, :fail, :info was expected, not ":start"`},
		{text: `{:process 0, :type :invoke, :f "read"}`, want: `1: :f: a keyword was expected, not "read"`},
		{text: "{:process -1, :type :invoke, :f :read}", want: "1: :process: a number or a name such as :nemesis was expected, not -1"},
		{text: "{:process [], :type :invoke, :f :read}", want: "1: :process: a number or a name such as :nemesis was expected, not []"},
		{text: invoke + "\n" + invoke, want: "2: process 0 calls before its operation of line 1 has returned"},
		{text: "{:type :ok, :f :read, :process 0}", want: "1: process 0 returns, but has called nothing"},
		{text: invoke + "\n{:type :ok, :f :write, :value 1, :process 0}", want: "2: op was expected to be read, as in the call of line 1, not write"},
		{text: "{:type :invoke, :f :read, :value [:x nil], :process 0}\n{:type :ok, :f :read, :value [:x 3], :process 0}",
			want: `2: value was expected to be [":x",null], as in the call of line 1, not [":x",3]; if values are pairs of a key and a value, as those of jepsen.independent, say so: --keyed`},
		{text: "{:type :invoke, :f :cas, :value 1, :process 0}", want: "1: :value: the old and the new value were expected, not 1"},
		{text: "{:type :invoke, :f :acquire, :value {:fence :a}, :process 0}", want: `1: :fence: a whole number was expected, not ":a"`},
		{text: "{:type :invoke, :f :acquire, :value {:client 1}, :process 0}\n{:type :ok, :f :acquire, :value {:client 2}, :process 0}",
			want: "2: :client: 1 was expected, as in the answers to process 0 before, not 2"},
		{text: invoke, keyed: true, want: "1: :value: a pair of a key and a value was expected, not null"},
	} {
		_, err := Read("h.edn", c.text, Options{Keyed: c.keyed})
		var wrong *Error
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "h.edn:"+c.want) {
			t.Errorf("%s\nerror %v, want h.edn:%s", c.text, err, c.want)
		}
	}
}

// FuzzJepsen: a text is a history, or an error that names one of its lines.
func FuzzJepsen(f *testing.F) {
	f.Add(etcdLock, false)
	f.Add(`[{:type :invoke, :f :cas, :value [:k [1 2]], :process 0}, {:type :fail, :f :cas, :value [:k [1 2]], :process 0}]`, true)
	f.Fuzz(func(t *testing.T, text string, keyed bool) {
		checkRead(t, text, Options{Format: Jepsen, Keyed: keyed, Threads: len(text) % 3})
	})
}

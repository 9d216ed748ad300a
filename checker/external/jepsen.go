package external

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"fencepost/checker/external/edn"
)

// readJepsen reads a history of Jepsen (https://github.com/jepsen-io/history): maps with
// :type, :process, :f and :value, one after the other or in one list. The order of the
// events is that of the history, as for Jepsen's own checkers: :time is not used, because it
// may run backwards between processes.
func (h *History) readJepsen(text string, o Options) error {
	h.Clock = Positions
	j := &jepsen{events: newEvents(h), options: o, clients: map[string]string{}}
	r := edn.NewReader(text)
	for {
		v, err := r.Next()
		var syntax *edn.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			j.owners()
			return nil
		case errors.As(err, &syntax):
			return h.Errorf(syntax.Line, "%s", syntax.Text)
		}
		list := []edn.Value{v}
		if v.Kind == edn.Vector || v.Kind == edn.List {
			list = v.Items
		}
		for _, v := range list {
			if err := j.event(v); err != nil {
				return h.Errorf(v.Line, "%w", err)
			}
			j.position++
		}
	}
}

type jepsen struct {
	events   *events
	options  Options
	position int64             // of the event in the history
	clients  map[string]string // by process or thread: the client that an answer named
}

// event reads one map. Events of the nemesis are of no client, and its processes are no
// numbers.
func (j *jepsen) event(v edn.Value) error {
	if v.Kind != edn.Map {
		return fmt.Errorf("a map with :type, :process and :f was expected, not %v", v.Kind)
	}
	process, ok := v.Get("process")
	if !ok {
		return errors.New(":process is missing")
	}
	if process.Kind == edn.Keyword || process.Kind == edn.String {
		j.events.history.Others++
		return nil
	}
	if process.Kind != edn.Int || strings.HasPrefix(process.Text, "-") {
		return fmt.Errorf(":process: a number or a name such as :nemesis was expected, not %s", process.JSON())
	}
	op := Operation{Process: process.Text}
	kind, err := keyword(v, "type", append([]string{"invoke"}, outcomes...)...)
	if err != nil {
		return err
	}
	if op.Op, err = keyword(v, "f"); err != nil {
		return err
	}
	value, _ := v.Get("value")
	// What failed, or has no answer, has nothing to say: some tests put the error there.
	if kind == "invoke" || kind == "ok" {
		if err := j.value(&op, value); err != nil {
			return err
		}
	}
	if kind == "invoke" {
		return j.events.invoke(op, v.Line, j.position)
	}
	op.Outcome = Outcome(slices.Index(outcomes, kind))
	if err := j.events.returned(op, v.Line, j.position); err != nil {
		return j.hint(err, value)
	}
	return nil
}

// hint adds to an error what may be its reason: that what looks like a value is a key and a
// value.
func (j *jepsen) hint(err error, value edn.Value) error {
	if j.options.Keyed || value.Kind != edn.Vector || len(value.Items) != 2 {
		return err
	}
	return fmt.Errorf("%w; if values are pairs of a key and a value, as those of jepsen.independent, say so: --keyed", err)
}

// keyword reads a field whose value is a keyword, one of the given ones if there are any.
func keyword(v edn.Value, name string, words ...string) (string, error) {
	f, ok := v.Get(name)
	if !ok {
		return "", fmt.Errorf(":%s is missing", name)
	}
	if f.Kind != edn.Keyword || len(words) > 0 && !slices.Contains(words, f.Text) {
		what := "a keyword"
		if len(words) > 0 {
			what = "one of :" + strings.Join(words, ", :")
		}
		return "", fmt.Errorf(":%s: %s was expected, not %s", name, what, f.JSON())
	}
	return f.Text, nil
}

// value reads what an operation's :value means for its :f.
func (j *jepsen) value(op *Operation, v edn.Value) error {
	if j.options.Keyed {
		if v.Kind != edn.Vector || len(v.Items) != 2 {
			return fmt.Errorf(":value: a pair of a key and a value was expected, not %s", v.JSON())
		}
		op.Key, v = plainText(v.Items[0]), v.Items[1]
	}
	switch op.Op {
	case "acquire", "release":
		return j.lockValue(op, v)
	case "cas":
		if v.Kind != edn.Vector && v.Kind != edn.List || len(v.Items) != 2 {
			return fmt.Errorf(":value: the old and the new value were expected, not %s", v.JSON())
		}
		op.Expected, op.Value = v.Items[0].JSON(), v.Items[1].JSON()
		return nil
	}
	op.Value = v.JSON()
	return nil
}

// lockValue reads the :value of an operation on a lock. Most tests put nothing into it. That
// of Hazelcast puts the client and the fence there, 0 for none; what it has there otherwise
// is a name for the operation.
func (j *jepsen) lockValue(op *Operation, v edn.Value) error {
	if fence, ok := v.Get("fence"); ok && fence.Kind != edn.Nil {
		token, err := strconv.ParseInt(fence.Text, 10, 64)
		if fence.Kind != edn.Int || err != nil || token < 0 {
			return fmt.Errorf(":fence: a whole number was expected, not %s", fence.JSON())
		}
		op.Token = token
	}
	client, ok := v.Get("client")
	if !ok || client.Kind == edn.Nil {
		return nil
	}
	thread := j.thread(op.Process)
	name := plainText(client)
	if known, twice := j.clients[thread]; twice && known != name {
		return fmt.Errorf(":client: %s was expected, as in the answers to %s before, not %s", known, thread, name)
	}
	j.clients[thread] = name
	return nil
}

// thread is who a process is: processes that follow each other in one thread of the test are
// one client.
func (j *jepsen) thread(process string) string {
	n, err := strconv.Atoi(process)
	if j.options.Threads > 0 && err == nil {
		return "thread " + strconv.Itoa(n%j.options.Threads)
	}
	return "process " + process
}

// owners says of each operation who its owner is: the client that an answer to the same
// process named, or else the process.
func (j *jepsen) owners() {
	h := j.events.history
	guessed := map[string]bool{}
	for i := range h.Operations {
		op := &h.Operations[i]
		thread := j.thread(op.Process)
		_, op.Owner, _ = strings.Cut(thread, " ")
		if name, ok := j.clients[thread]; ok {
			op.Owner = name
		} else if len(j.clients) > 0 && !guessed[op.Process] {
			guessed[op.Process] = true
			h.Guessed = append(h.Guessed, op.Process)
		}
	}
}

// plainText is a name for people: a string without quotes.
func plainText(v edn.Value) string {
	if v.Kind == edn.String || v.Kind == edn.Symbol {
		return v.Text
	}
	return strings.Trim(v.JSON(), `"`)
}

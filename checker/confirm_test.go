package checker

import "testing"

// Porcupine confirms runs though its answers are left out: what contradicts the monitors there is an
// error, and elsewhere nobody looks.
func TestConfirm(t *testing.T) {
	const wrong = 7 // an audit that no order ends with
	apart := func() *run { return newRun().hold(0, 1, s, 0).release(s, 1).hold(2*s, 2, 3*s, 0).release(3*s, 2) }
	overlap := func() *run { return newRun().hold(0, 1, 9*s, 0).hold(2*s, 2, 9*s, 0) }
	for _, c := range []struct {
		name    string
		run     func() *run
		confirm Confirm
		audit   int64
		want    bool // an error
	}{
		{"nothing is confirmed", overlap, ConfirmNothing, wrong, false},
		{"a violation is", overlap, ConfirmViolations, wrong, true},
		{"and may be right", overlap, ConfirmViolations, 0, false},
		{"what is not violated is not", apart, ConfirmViolations, wrong, false},
		{"unless all is", apart, ConfirmAll, wrong, true},
	} {
		x := c.run()
		x.SkipLinear, x.Confirm = true, c.confirm
		v, err := x.Verdict(x.r, x.now, []int64{c.audit}, "")
		if (err != nil) != c.want {
			t.Errorf("%s: error %v", c.name, err)
		}
		if v.LinearLock != NotApplicable || v.LinearResource != NotApplicable || v.Bound != "" {
			t.Errorf("%s: the answers are in the verdict: %+v", c.name, v)
		}
	}
}

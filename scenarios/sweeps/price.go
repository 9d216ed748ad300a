package sweeps

import (
	"context"
	"fmt"
	"time"
)

// Price is what the trials of a lock take, as far as a few of them tell.
type Price struct {
	Lock   string
	Cells  int
	Trials int64
	// PerTrial is what one takes on one worker, Total all of them together.
	PerTrial, Total time.Duration
}

// calibration is how long all cells together are tried for, on one worker.
const calibration = 2 * time.Second

// Price runs a few trials of each cell, at least one, and works out from the time that they take by
// this machine's clock what all batches would take that are still to be run.
func (s *Sweep) Price(ctx context.Context, cells []*Cell, now func() time.Time) ([]Price, error) {
	todo := make([]int64, len(cells))
	open := 0
	for _, b := range s.Todo(cells) {
		if todo[b[0]] == 0 {
			open++
		}
		todo[b[0]] += int64(s.batchSeeds(b[1]).Len())
	}
	var prices []Price
	at := map[string]int{}
	for i, c := range cells {
		if todo[i] == 0 {
			continue
		}
		each, err := s.timeOf(ctx, c, calibration/time.Duration(open), now)
		if err != nil {
			return nil, err
		}
		name := c.Plan.Describe.Name
		k, ok := at[name]
		if !ok {
			k = len(prices)
			at[name] = k
			prices = append(prices, Price{Lock: name})
		}
		p := &prices[k]
		p.Cells++
		p.Trials += todo[i]
		p.Total += each * time.Duration(todo[i])
		p.PerTrial = p.Total / time.Duration(p.Trials)
	}
	return prices, nil
}

// timeOf is how long a trial of a cell takes. The first one, which builds the world, does not count
// if there is time for others.
func (s *Sweep) timeOf(ctx context.Context, c *Cell, most time.Duration, now func() time.Time) (time.Duration, error) {
	w := &worker{ctx: ctx}
	defer w.close()
	b := s.newBatch(c, 0)
	var first, rest time.Duration
	n := 0
	begin := now()
	for i := range s.Seeds.Len() {
		before := now()
		if err := s.runTrial(w, c, b, s.Seeds.At(i)); err != nil {
			if ctx.Err() != nil {
				err = fmt.Errorf("interrupted: %w", ctx.Err())
			}
			return 0, err
		}
		if took := now().Sub(before); i == 0 {
			first = took
		} else {
			rest, n = rest+took, n+1
		}
		if now().Sub(begin) >= most {
			break
		}
	}
	if n == 0 {
		return first, nil
	}
	return rest / time.Duration(n), nil
}

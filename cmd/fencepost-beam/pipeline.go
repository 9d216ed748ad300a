package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"fencepost/cmd/cli"
)

func init() {
	register.DoFn2x0[[]byte, func(int)](&expandFn{})
	register.DoFn3x1[context.Context, int, func(int, string), error](&runFn{})
	register.DoFn2x2[int, func(*string) bool, string, error](&onceFn{})
	register.Emitter1[int]()
	register.Emitter2[int, string]()
	register.Iter1[string]()
}

// source makes the numbers of the parts of a work, from 0 on.
type source func(s beam.Scope, parts int) beam.PCollection

// expand makes each number once. That is done in the pipeline, so that the description of the job does
// not grow with the number of parts.
func expand(s beam.Scope, parts int) beam.PCollection {
	return beam.ParDo(s, &expandFn{parts}, beam.Impulse(s))
}

// lines are those of the batches of a work, each once. Parts are dealt out anew after they were made: a
// runner would else put both steps into one, and leave all of them with one worker.
func lines(s beam.Scope, work *cli.Work, parts int, from source) (beam.PCollection, error) {
	text, err := json.Marshal(work)
	if err != nil {
		return beam.PCollection{}, err
	}
	dealt := beam.Reshuffle(s, from(s, parts))
	found := beam.ParDo(s, &runFn{Work: string(text), Parts: parts}, dealt)
	return beam.ParDo(s, &onceFn{}, beam.GroupByKey(s, found)), nil
}

type expandFn struct{ Parts int }

func (f *expandFn) ProcessElement(_ []byte, emit func(int)) {
	for part := range f.Parts {
		emit(part)
	}
}

// runFn runs a part, and has no effect but what it emits: a runner may run it again.
type runFn struct {
	// Work is a cli.Work, as JSON.
	Work  string
	Parts int

	worker *cli.Worker
}

// Setup plans the sweep on a worker.
func (f *runFn) Setup(context.Context) error {
	var work cli.Work
	err := json.Unmarshal([]byte(f.Work), &work)
	if err == nil {
		f.worker, err = work.Begin()
	}
	return err
}

// ProcessElement emits each batch of a part by its number.
func (f *runFn) ProcessElement(ctx context.Context, part int, emit func(int, string)) error {
	return f.worker.Part(ctx, part, f.Parts, func(number int, line []byte) error {
		emit(number, string(line))
		return nil
	})
}

// onceFn keeps one line of each batch.
type onceFn struct{}

// ProcessElement fails if two workers disagree: a batch has one result.
func (f *onceFn) ProcessElement(number int, lines func(*string) bool) (string, error) {
	var first, again string
	lines(&first)
	for lines(&again) {
		if again != first {
			return "", fmt.Errorf("batch %d has come to two results: one of the workers is not of this program", number)
		}
	}
	return first, nil
}

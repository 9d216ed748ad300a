package history

import "fencepost/sim"

// Observer sees each record once, in order. Monitors are observers.
type Observer interface {
	Observe(r *Record)
}

// Hold is what is known of a hold from its first record on.
type Hold struct {
	ID       HoldID
	Client   int // index of the client in the scenario
	Executor Executor
}

// Recorder collects the records of one run. It is reset and reused.
type Recorder struct {
	Records   []Record
	Holds     []Hold // Holds[i] has ID i+1
	Observers []Observer

	clock    func() sim.Time
	sequence uint64
	values   int64
}

// NewRecorder returns a recorder that stamps records with the given true time.
func NewRecorder(now func() sim.Time) *Recorder { return &Recorder{clock: now} }

// Reset forgets the run and keeps memory and observers.
func (r *Recorder) Reset() {
	r.Records, r.Holds = r.Records[:0], r.Holds[:0]
	r.sequence, r.values = 0, 0
}

// NewHold opens a hold for an executor of a client.
func (r *Recorder) NewHold(client int, e Executor) HoldID {
	id := HoldID(len(r.Holds) + 1)
	r.Holds = append(r.Holds, Hold{ID: id, Client: client, Executor: e})
	return id
}

// Hold returns what is known of a hold.
func (r *Recorder) Hold(id HoldID) Hold { return r.Holds[id-1] }

// NextValue returns a value that no write of this run has written before; the
// resource starts with value 0.
func (r *Recorder) NextValue() int64 {
	r.values++
	return r.values
}

// AddRemoval adds the [Removal] of a hold's record. The order is the sequence number of the fault
// that asks for it; 0 is none.
func (r *Recorder) AddRemoval(order int, hold HoldID) {
	rec := Record{Kind: Removal, Hold: hold, Value: NoLine, Base: int64(order)}
	if order > 0 {
		asked := &r.Records[order-1]
		rec.Value, rec.Text = asked.Value, asked.Text
	}
	r.Add(rec)
}

// Add stamps a record with its sequence number and instant, keeps it and shows it to
// the observers.
func (r *Recorder) Add(rec Record) {
	r.sequence++
	rec.Sequence, rec.At = r.sequence, r.clock()
	if rec.Hold != 0 && rec.Executor == 0 {
		rec.Executor = r.Holds[rec.Hold-1].Executor
	}
	r.Records = append(r.Records, rec)
	last := &r.Records[len(r.Records)-1]
	for _, o := range r.Observers {
		o.Observe(last)
	}
}

package resource

import "fencepost/sim/history"

const (
	read  = history.ReadEffect
	write = history.WriteEffect
	mark  = history.MarkEffect
)

// Where fencing tokens are argued for, and marks.
const (
	kleppmann = "M. Kleppmann, How to do distributed locking (2016), section Making the lock safe with fencing"
	junqueira = "F. Junqueira, Note on fencing and distributed locks (2016), https://fpj.me/2016/02/10/note-on-fencing-and-distributed-locks/"
)

// ifKept is what a guard's word rests on that remembers a token of the lock's.
const ifKept = "if the token is compared in one step with the effect, and what it is compared with is kept through restarts"

// Guards are the guards that exist, in the order in which they are listed.
var Guards = []Guard{
	{
		Name:       "none",
		Doc:        "the resource serves every request",
		Guarantees: "nothing: whatever a former holder still sends takes effect",
		Not:        "anything; all depends on whether two holders ever act at once",
		Compared:   "no request",
		Source:     kleppmann + ", as what happens without it",
	},
	{
		Name: "fence-writes",
		Doc: "a write whose token is lower than the highest token written so far is rejected; " +
			"reads are served and raise nothing",
		Guarantees: "no write of an earlier holder takes effect after a write of a later one, " + ifKept,
		Not:        "a late write that lands between the next holder's read and its write: it is served, and then overwritten unseen",
		Compared:   "writes, with the highest token written; a lower one is rejected, an equal one passes, so tokens must differ from hold to hold",
		Source:     kleppmann,
		NeedsToken: true,
		Ordered:    []history.Effect{write},
		rule:       fence(setOf(write), setOf(write)),
	},
	{
		Name: "fence-reads-writes",
		Doc: "a read or write whose token is lower than the highest token seen so far is rejected; " +
			"a read raises it too",
		Guarantees: "once a holder has read or written, no request of an earlier one is served, so no update is lost, " + ifKept,
		Not:        "anything before that first request, or at any other resource; equal tokens of two holds are not told apart",
		Compared:   "reads and writes, with the highest token of either; a lower one is rejected, an equal one passes",
		Source:     kleppmann + "; a compared read has the effect of the mark in " + junqueira,
		NeedsToken: true,
		Ordered:    []history.Effect{read, write},
		rule:       fence(setOf(read, write), setOf(read, write)),
	},
	{
		Name: "mark",
		Doc: "a new holder first writes its token to the resource, then works; a mark, read or write " +
			"whose token is lower than the mark is rejected",
		Guarantees: "once a holder's mark is answered, no request of an earlier one is served, so no update is lost, " + ifKept,
		Not:        "anything before the mark has arrived; it costs the holder a round trip, and equal tokens of two holds are not told apart",
		Compared:   "marks, reads and writes, with the highest mark, which only a mark raises; a lower token is rejected, an equal one passes",
		Source:     junqueira,
		NeedsToken: true,
		Ordered:    []history.Effect{read, write},
		Protocol:   Protocol{Marks: true},
		rule:       fence(setOf(mark, read, write), setOf(mark)),
	},
	{
		Name: "if-match",
		Doc: "a read comes with the version of the data, and a write carries it back; the write is " +
			"rejected if the data have another version by then",
		Guarantees: "no update is lost, with any lock or with none, if the version is compared in one step with the effect; it needs no token",
		Not:        "order: whoever writes first wins, so a former holder's write can be served and the holder's rejected; nor a section on several objects as a whole, which may be served at one and rejected at the next; nor content that has come back, where the version is a digest of it",
		Compared:   "writes: the version that was read must be the one that is there, or it is 412, and 409 if another write came while it was being applied",
		Source:     "RFC 9110, 13.1.1 If-Match: 412; Amazon S3 API Reference, PutObject: 409 if a conflicting operation comes meanwhile",
		Protocol:   Protocol{Versions: true},
		rule:       ifMatch,
	},
	{
		Name: "random-token-cas",
		Doc: "a new holder first sets the resource's token to a random value of its own, then works; a " +
			"write is rejected if the token is not the writer's by then",
		Guarantees: "no update is lost, if the token is compared in one step with the effect; it needs no token of the lock's, and none that rises",
		Not:        "order: random values cannot tell early from late, so a former holder that sets its token late displaces the holder's and wins; a mark that is served twice can lose an update",
		Compared:   "writes: the token must equal the one that was set last, in one step with the write; a mark replaces it unasked",
		Source:     "S. Sanfilippo, Is Redlock safe? (2016), http://antirez.com/news/101",
		Protocol:   Protocol{Marks: true, OwnToken: true},
		rule:       lastMark,
	},
	{
		Name: "ask-service",
		Doc: "the resource asks the lock service whether the token of a read or write is still the " +
			"holder's, and serves the request when the answer is there; it remembers no token",
		Guarantees: "no request is served of a hold that had ended before the resource asked",
		Not:        "what happens between answer and effect: the hold may end and the next one begin, and the request is served all the same",
		Compared:   "reads and writes, by the lock service, at the instant of its answer; the resource itself compares nothing",
		Source:     "M. Burrows, Chubby (OSDI 2006), 2.4, CheckSequencer",
		NeedsToken: true,
		Asks:       true,
	},
}

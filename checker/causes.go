package checker

// CauseKind names a cause, for programs; the sentence beside it is for people.
type CauseKind string

// Cause says who is at fault, by its kind and in one or two sentences.
type Cause struct {
	Kind CauseKind
	Text string
}

// What a run can come to. A run has the kind of what broke first, in the order service, holder,
// request.
const (
	// The service let somebody in too early.
	ServerClockStepped CauseKind = "server-clock-stepped"
	ServerClockFast    CauseKind = "server-clock-fast"
	PromiseForgotten   CauseKind = "promise-forgotten-by-restart"
	FailoverLost       CauseKind = "failover-lost-suffix"
	StaleLeader        CauseKind = "stale-leader"
	SplitBrain         CauseKind = "split-brain"
	HealthCheck        CauseKind = "health-check"
	ForeignUnlock      CauseKind = "foreign-unlock"
	ThirdParty         CauseKind = "operator-or-eviction"
	LeaseDatedBack     CauseKind = "lease-dated-back"
	TakenOverEarly     CauseKind = "taken-over-early"
	BrokenPromise      CauseKind = "let-in-early"

	// A holder believed for longer than it was promised.
	PauseOutlived   CauseKind = "pause-outlived-lease"
	MachineAsleep   CauseKind = "machine-asleep"
	HolderThrottled CauseKind = "throttled"
	HolderClock     CauseKind = "holder-clock-slow"
	CutOff          CauseKind = "cut-off-from-service"
	ServiceSilent   CauseKind = "service-silent"
	RenewalLate     CauseKind = "renewal-late"
	WaitedForData   CauseKind = "waited-for-resource"
	Overran         CauseKind = "overran-its-lease"
	ReplyLate       CauseKind = "reply-late"
	NeverLetIn      CauseKind = "never-let-in"
	BothBelieved    CauseKind = "believed-at-once"

	// A request took effect too late, or twice.
	LateRequest    CauseKind = "late-request"
	SlowResource   CauseKind = "slow-resource"
	RequestTwice   CauseKind = "request-repeated"
	JobOutlived    CauseKind = "job-outlived-hold"
	EffectUnnoted  CauseKind = "effect-not-recorded"
	OldValueServed CauseKind = "old-value-served"

	// The lock did not move on, or its tokens did not rise.
	EndedEarly  CauseKind = "ended-early"
	KeptTooLong CauseKind = "kept-too-long"
	NotMovedOn  CauseKind = "not-moved-on"
	PassedOver  CauseKind = "passed-over"
	TokenOrder  CauseKind = "token-order"

	// Nothing broke, as far as is known.
	GuardRejected CauseKind = "guard-rejected"
	NothingBroke  CauseKind = "nothing"
	BoundReached  CauseKind = "bound"
	Unexplained   CauseKind = "unexplained"
)

// CauseEntry is a line of the list of causes.
type CauseEntry struct {
	Kind    CauseKind
	Meaning string
}

// Causes are all kinds, with what each of them means.
var Causes = []CauseEntry{
	{ServerClockStepped, "a server's wall clock was stepped ahead, or reads more now and then, and ended a lease before its time"},
	{ServerClockFast, "a server's clock ran fast, or was slewed ahead, and ended a lease before its time"},
	{PromiseForgotten, "a server came back from a crash without the promise"},
	{FailoverLost, "a server that took over did not have the end of what its predecessor had promised"},
	{StaleLeader, "a server that led no more, and did not know, granted, renewed or revoked"},
	{SplitBrain, "both sides of a split let somebody have the lock"},
	{HealthCheck, "the service took the holder's node for dead, and ended its lock before the promise"},
	{ForeignUnlock, "a client released the lock of another one"},
	{ThirdParty, "an operator, a reaper or an eviction removed the lock's record"},
	{LeaseDatedBack, "the lease counted from before it was granted, as from when a transaction began"},
	{TakenOverEarly, "the client that was let in judged the lease by its own clock and length, and took it over before its time"},
	{BrokenPromise, "the service let somebody in while a promise ran, and the record does not say why"},
	{PauseOutlived, "the holder's process stood still past the end of its lease"},
	{MachineAsleep, "the holder's machine slept, with its monotonic clock, past the end of its lease"},
	{HolderThrottled, "the holder had so little CPU time that it outlasted its lease"},
	{HolderClock, "the holder's clock ran slow, stood still or was set back, so that its lease seemed longer to it"},
	{CutOff, "the holder's renewals did not get through: its links to the service were cut, hung, slow, or held them back"},
	{ServiceSilent, "the holder's renewals were not answered: most of the service stood still or was cut off"},
	{RenewalLate, "the holder renews its lease, and did not in time, without a fault that explains it"},
	{WaitedForData, "the holder waited for the resource past the end of its lease, which nobody renews"},
	{Overran, "the holder worked for longer than its lease, which nobody renews"},
	{ReplyLate, "a client took the lock for acquired when what it had been promised had run out"},
	{NeverLetIn, "a client took the lock for acquired that the service had not given it"},
	{BothBelieved, "two holders believed at once, and both had been promised the lock"},
	{LateRequest, "a request was under way for so long that it took effect after its hold had ended"},
	{SlowResource, "the resource took so long for a request that it took effect after its hold had ended"},
	{RequestTwice, "a request came twice, and its copy took effect too"},
	{JobOutlived, "what a holder had begun went on when its hold had ended"},
	{EffectUnnoted, "a holder ended between an effect and the record of it, so that the next one could not tell"},
	{OldValueServed, "the resource served an old value"},
	{EndedEarly, "the service ended a hold before its promise was over, and the record does not say why"},
	{KeptTooLong, "the service kept a hold that was over"},
	{NotMovedOn, "somebody was trying, nobody had the lock, and nobody was let in"},
	{PassedOver, "the lock let others in, again and again, who had asked later"},
	{TokenOrder, "fencing tokens did not rise from hold to hold"},
	{GuardRejected, "nothing was violated, and the guard had rejected a request"},
	{NothingBroke, "every property held"},
	{BoundReached, "nothing was violated by the time the run ended at a bound"},
	{Unexplained, "something was violated for which the record has no reason"},
}

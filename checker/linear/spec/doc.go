// Package spec has models of locks, and of what locks protect, for the linearizability
// checker porcupine. It depends on porcupine alone: any Go program can check its own
// histories with it. The module has no public path yet, so that such a program's go.mod
// has to say where a clone of fencepost is:
//
//	require fencepost v0.0.0
//
//	replace fencepost => ../fencepost
//
//	lock                                           model
//	one holder                                     [Mutex]
//	one holder that may acquire again              [ReentrantMutex]
//	one holder, with a fencing token               [FencedMutex], [ReentrantFencedMutex]
//	many readers or one writer                     [RWLock]
//	so many permits                                [Semaphore]
//	one holder until a lease ends                  [Lease]
//	one holder, and failed answers count too       [StrictMutex]
//
//	what a lock protects                           model
//	a value                                        [Register]
//	a number that is added to                      [Counter]
//	a list that is appended to                     [Log]
//	an object with an ETag and conditional writes  [Object]
//	whole critical sections on a value             [Section]
//
// # Inputs and outputs
//
// A model wants these as the Input and Output of an operation. On others it panics with what
// it wants; [Check] looks at all of them first, so that its caller can recover.
//
//	model                                  input            output
//	[Mutex], [ReentrantMutex], [RWLock]    [LockInput]      is ignored, and may be nil
//	[StrictMutex]                          [LockInput]      an [Outcome]
//	[FencedMutex], [ReentrantFencedMutex]  [LockInput]      of an acquire and a resume the token, an int64
//	[Semaphore]                            [LockInput]      of [Available] the free permits, an int
//	[Lease]                                [LockInput]      an [Outcome]; of [Expire] it is ignored
//	[Register]                             [RegisterInput]  of a read the value, a V
//	[Counter]                              [CounterInput]   the number afterwards, an int64, or [Unknown]
//	[Log]                                  [LogInput]       of an append the index, an int, or [Unknown]; of a read a []V
//	[Object]                               [ObjectInput]    an [ObjectOutput]
//	[Section]                              [SectionInput]   an [Outcome]
//
// # Histories
//
// A history is a list of [porcupine.Operation], each with a Call and a Return on one
// clock or counter, the Call not after the Return. [Check] searches for an order of the
// operations that the model allows and that respects who had returned before whom was
// called (M. Herlihy, J. Wing, Linearizability, TOPLAS 1990,
// https://doi.org/10.1145/78969.78972). The models describe operations and states, so
// that porcupine.Visualize draws them. Operations with different keys are independent,
// and their histories are checked apart.
//
// # How to record a lock
//
// There are two readings of a lock's history. The first is about beliefs: it asks whether
// the holders were ever too many. It is that of all locks here but [StrictMutex] and
// [Lease]; fenced mutexes ask besides whether tokens rose, and a semaphore's Available, which
// has the lock's own count, is to be recorded only where no acquire is of unknown outcome.
//
//   - A hold that succeeded is one acquire and one release. The acquire spans from its
//     call to its return with success. Then its owner believes to hold the lock.
//   - The release is called where the belief ends: where the owner begins to release,
//     learns of a loss, or crashes, whichever comes first. It returns where the call of
//     release returned. If it did not, or failed, or the owner crashed, Return is [Never].
//   - A hold whose belief is still open at the end has no release.
//   - An acquire that failed, or whose outcome is not known, is left out, and with it the
//     release that takes it back: its owner never believed anything.
//
// A lock allows some sets of holds at one time and not others: a mutex one hold, a
// read-write lock one writer or any readers, a semaphore its permits. What is true of a
// set is true of its parts. Under the rules above a history is linearizable exactly if
// at each instant the lock allows the holds that are believed in.
//
//   - If it does, let each acquire take effect where it returns and each release where it
//     is called. After each of them the lock is held by exactly those who believe.
//   - If it does not, take an instant at which the lock does not allow the holds that are
//     believed in, and any order, up to the first release in it that was called later. All
//     acquires that had returned by that instant are in this part, since they come before
//     each release that was called after it, and of the releases only those that were
//     called before. So each owner holds there at least what it believed to hold at that
//     instant. The lock does not allow that.
//
// For a mutex that is: linearizable exactly if no two beliefs overlap. Each rule is
// needed. A failed acquire that is taken for proof that somebody held the lock
// contradicts a lock that failed for another reason. A crash that ends no belief, and a
// release that is recorded where it is answered, make beliefs longer than they were. A
// second release of a hold whose belief a deadline had ended is a release by somebody who
// does not hold.
//
// The second reading is about answers: a try that failed says that somebody held the
// lock, a release that failed says that the caller did not. That is [StrictMutex], and
// [Lease] where a lease may end on its own.
//
// # When the outcome is not known
//
// A request whose answer was lost may have taken effect, may do so later, or never. Where
// a model takes the output [Unknown], record the operation with it and with [Never] as
// the Return: it then takes effect if it can, and otherwise changes nothing. That is
// sound. If it did take effect, it is placed there. If it did not, it is placed behind
// all others, where it harms nobody, because it is always allowed there.
package spec

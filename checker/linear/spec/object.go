package spec

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// ObjectOp is what is asked of an object.
type ObjectOp uint8

const (
	Get ObjectOp = iota
	Put
	Delete
)

// ObjectInput is the input of one operation on an [Object].
type ObjectInput[V comparable] struct {
	Key      string // which object, if there are several
	Op       ObjectOp
	Value    V      // of a put
	IfMatch  string // put or delete only if the object has this ETag; "" asks for none
	IfAbsent bool   // put only if there is no object
}

// ObjectOutput is what the store answered. To a get, Failed means that there is no
// object; to a put or delete, that its condition was not met. ETag is that of the object
// after a get or a put, "" if it was not told.
type ObjectOutput[V comparable] struct {
	Outcome Outcome
	Value   V // of a get
	ETag    string
}

// Object is a value with an ETag in a store with conditional writes (RFC 9110, section
// 13, https://www.rfc-editor.org/rfc/rfc9110#section-13; Amazon S3, Conditional requests,
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-requests.html). It
// starts absent.
//
// Inputs are [ObjectInput], outputs [ObjectOutput]. A put or delete whose answer was lost
// has the Outcome [Unknown], no ETag and the Return [Never]. Leave out gets without an
// answer and whatever failed for other reasons than its condition: a conflict with
// another request that is still running (S3's 409) promises nothing.
//
// A new value has to have another ETag than the one that it replaced; equal values may
// share one, because some stores hash the content. An ETag that nobody was told may be any:
// what a condition that was not met says of it, and that it differs from the one before, is
// not remembered.
func Object[V comparable]() porcupine.Model {
	return newModel("an object", objectState[V]{}, stepObject[V])
}

// objectState is an object, or none. Its ETag is "" as long as nobody was told.
type objectState[V comparable] struct {
	exists bool
	value  V
	etag   string
}

func stepObject[V comparable](s objectState[V], in ObjectInput[V], out any) (bool, objectState[V]) {
	answer := output[ObjectOutput[V]](out, in, "the answer")
	switch in.Op {
	case Get:
		return s.get(answer)
	case Put:
		next := objectState[V]{true, in.Value, answer.ETag}
		fresh := s.value == in.Value || answer.ETag == "" || s.etag != answer.ETag
		ok, after := s.conditional(in, answer.Outcome, next)
		return ok && (answer.Outcome != OK || fresh), after
	case Delete:
		return s.conditional(in, answer.Outcome, objectState[V]{})
	}
	panic(fmt.Sprintf("spec: an object does not know %v", in))
}

// get compares an answer with the state, which learns an ETag that it does not know.
func (s objectState[V]) get(answer ObjectOutput[V]) (bool, objectState[V]) {
	if answer.Outcome == Failed || !s.exists {
		return answer.Outcome == Failed && !s.exists, s
	}
	if s.etag == "" {
		s.etag = answer.ETag
	}
	return answer.Value == s.value && (answer.ETag == "" || answer.ETag == s.etag), s
}

// conditional goes to the next state if the conditions are met. Whether an ETag that
// nobody was told matches is not known, and then any answer may be true.
func (s objectState[V]) conditional(in ObjectInput[V], o Outcome, next objectState[V]) (bool, objectState[V]) {
	if in.IfAbsent && s.exists || in.IfMatch != "" && !s.exists {
		return settle(o, false, s, next)
	}
	if in.IfMatch != "" && s.etag == "" {
		return settle(o, o != Failed, s, next)
	}
	return settle(o, in.IfMatch == "" || in.IfMatch == s.etag, s, next)
}

// String writes the object and its ETag.
func (s objectState[V]) String() string {
	if !s.exists {
		return "absent"
	}
	return fmt.Sprintf("%v, ETag %q", s.value, s.etag)
}

// String writes the call.
func (in ObjectInput[V]) String() string {
	var args []any
	if in.Op == Put {
		args = append(args, in.Value)
	}
	if in.IfMatch != "" {
		args = append(args, fmt.Sprintf("if match %q", in.IfMatch))
	}
	if in.IfAbsent {
		args = append(args, "if absent")
	}
	return call(in.Key, in.Op.String(), args...)
}

// String returns the word for the operation.
func (o ObjectOp) String() string {
	if words := [...]string{"get", "put", "delete"}; int(o) < len(words) {
		return words[o]
	}
	return fmt.Sprintf("ObjectOp(%d)", uint8(o))
}

// String writes the answer.
func (o ObjectOutput[V]) String() string {
	var zero V
	switch {
	case o.Outcome != OK:
		return o.Outcome.String()
	case o.Value == zero:
		return fmt.Sprintf("ETag %q", o.ETag)
	}
	return fmt.Sprintf("%v, ETag %q", o.Value, o.ETag)
}

func (in ObjectInput[V]) key() string { return in.Key }

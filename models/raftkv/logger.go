package raftkv

import "fmt"

// silent is raft's logger: what raft has to say is in the trace already. A panic of
// raft is a broken invariant and stays one.
type silent struct{}

func (silent) Debug(...any)            {}
func (silent) Debugf(string, ...any)   {}
func (silent) Info(...any)             {}
func (silent) Infof(string, ...any)    {}
func (silent) Warning(...any)          {}
func (silent) Warningf(string, ...any) {}
func (silent) Error(...any)            {}
func (silent) Errorf(string, ...any)   {}

func (silent) Fatal(v ...any)                 { panic("raft: " + fmt.Sprint(v...)) }
func (silent) Fatalf(format string, v ...any) { panic("raft: " + fmt.Sprintf(format, v...)) }
func (silent) Panic(v ...any)                 { panic("raft: " + fmt.Sprint(v...)) }
func (silent) Panicf(format string, v ...any) { panic("raft: " + fmt.Sprintf(format, v...)) }

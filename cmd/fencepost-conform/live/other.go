//go:build !linux

package live

import (
	"context"
	"errors"
	"io"
)

var errLinux = errors.New("live needs Linux: it stops workers with SIGSTOP and looks in /proc whether they stand")

// Run needs Linux.
func Run(context.Context, io.Writer, Options) error { return errLinux }

// Work needs Linux.
func Work(context.Context, string, io.Reader, io.Writer) error { return errLinux }

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package cli

import (
	"errors"
	"os"
)

// lock does nothing: what this system has for it is not used.
func lock(*os.File) error { return errors.ErrUnsupported }

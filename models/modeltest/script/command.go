package script

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cockroachdb/datadriven"
)

// command is a command with its arguments, each of which has to be used.
type command struct {
	data *datadriven.TestData
	used map[string]bool
	err  error
}

// text returns an argument, or a default if it is not given.
func (c *command) text(name, def string) string {
	c.used[name] = true
	for _, arg := range c.data.CmdArgs {
		if arg.Key == name {
			if len(arg.Vals) != 1 {
				c.fail("%s needs one value", name)
				return def
			}
			return arg.Vals[0]
		}
	}
	return def
}

// list returns an argument with several values.
func (c *command) list(name string) []string {
	c.used[name] = true
	for _, arg := range c.data.CmdArgs {
		if arg.Key == name {
			return arg.Vals
		}
	}
	return nil
}

// given reports whether an argument stands there, with or without a value.
func (c *command) given(name string) bool {
	c.used[name] = true
	return c.data.HasArg(name)
}

func (c *command) duration(name string, def time.Duration) time.Duration {
	text := c.text(name, def.String())
	d, err := time.ParseDuration(text)
	if err != nil {
		c.fail("%s=%s is not a duration", name, text)
	}
	return d
}

func (c *command) count(name string, def int) int {
	text := c.text(name, strconv.Itoa(def))
	n, err := strconv.Atoi(text)
	if err != nil {
		c.fail("%s=%s is not a whole number", name, text)
	}
	return n
}

func (c *command) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// finish returns the first mistake in the arguments; one that nobody asked for is one.
func (c *command) finish() error {
	for _, arg := range c.data.CmdArgs {
		if !c.used[arg.Key] {
			c.fail("%s does not take %s", c.data.Cmd, arg.Key)
		}
	}
	return c.err
}

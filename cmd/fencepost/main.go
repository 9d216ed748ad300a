// Command fencepost is the simulator's command line; see package cli.
package main

import (
	"os"

	"fencepost/cmd/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }

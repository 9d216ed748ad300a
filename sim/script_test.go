package sim_test

import (
	"testing"

	"fencepost/models/modeltest/script"
)

// TestStories runs the stories about hosts, clocks and the network in testdata.
func TestStories(t *testing.T) { script.Run(t) }

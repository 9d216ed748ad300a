package local

import (
	"testing"

	"fencepost/models/modeltest/script"
)

// TestStories runs the stories in testdata.
func TestStories(t *testing.T) { script.Run(t, New()) }

package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// build names this program, so that results of two programs are not taken for those of one: the
// commit that it was built from, or, where that is not known or something was changed, a hash of
// the executable.
func build() (string, error) {
	if info, ok := debug.ReadBuildInfo(); ok && ofOneCommit(info) {
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if commit := settings["vcs.revision"]; commit != "" && settings["vcs.modified"] == "false" {
			return commit, nil
		}
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// ofOneCommit reports whether the commit that the program was built from is fencepost's: it is of this
// module, or of one in the same repository that takes it from there.
func ofOneCommit(info *debug.BuildInfo) bool {
	const module = "fencepost"
	if info.Main.Path == module {
		return true
	}
	below, ok := strings.CutPrefix(info.Main.Path, module+"/")
	up := strings.Repeat("../", strings.Count(below, "/")) + ".."
	return ok && slices.ContainsFunc(info.Deps, func(m *debug.Module) bool {
		return m.Path == module && m.Replace != nil && m.Replace.Path == up
	})
}

package cli

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressBar shows progress on standard error, if that is a terminal.
type progressBar struct {
	bar *progressbar.ProgressBar
}

func (a *app) progress(total int, what string) *progressBar {
	file, ok := a.streams.Err.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || total < 2 {
		return &progressBar{}
	}
	return &progressBar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(file), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())}
}

// Add counts finished work; it may be called from several workers at once.
func (p *progressBar) Add(n int) {
	if p.bar != nil {
		// An error here is one of drawing, and must not stop the work.
		_ = p.bar.Add(n)
	}
}

// Say writes something before the bar.
func (p *progressBar) Say(what string) {
	if p.bar != nil {
		p.bar.Describe(what)
	}
}

// Close wipes the bar.
func (p *progressBar) Close() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

package brokertest

import (
	"fmt"
	"strings"
	"sync"
)

// log keeps what a server says of its troubles, for the message of a test that fails by them. What it says beside that is dropped.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) keep(level, format string, v []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, level+": "+fmt.Sprintf(format, v...))
}

// String returns the lines, the oldest first.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// Fatalf keeps what ends the server.
func (l *log) Fatalf(format string, v ...any) { l.keep("fatal", format, v) }

// Errorf keeps an error.
func (l *log) Errorf(format string, v ...any) { l.keep("error", format, v) }

// Warnf keeps a warning.
func (l *log) Warnf(format string, v ...any) { l.keep("warning", format, v) }

// Noticef drops what every start says.
func (*log) Noticef(string, ...any) {}

// Debugf drops what is asked for by nobody.
func (*log) Debugf(string, ...any) {}

// Tracef drops what is asked for by nobody.
func (*log) Tracef(string, ...any) {}

package brokertest

import (
	"fmt"
	"strings"
	"sync"
)

// log keeps the errors and warnings of a server, for the message of a test that they make fail. It drops everything else.
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

// Fatalf keeps the error that ends the server.
func (l *log) Fatalf(format string, v ...any) { l.keep("fatal", format, v) }

// Errorf keeps an error.
func (l *log) Errorf(format string, v ...any) { l.keep("error", format, v) }

// Warnf keeps a warning.
func (l *log) Warnf(format string, v ...any) { l.keep("warning", format, v) }

// Noticef drops the messages of every start.
func (*log) Noticef(string, ...any) {}

// Debugf drops what nobody asks for.
func (*log) Debugf(string, ...any) {}

// Tracef drops what nobody asks for.
func (*log) Tracef(string, ...any) {}

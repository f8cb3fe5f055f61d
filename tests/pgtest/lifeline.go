package pgtest

import (
	"os"
	"os/exec"
	"sync"
)

// lifelines are the writing ends of the pipes that others read to learn of this process's
// end. Nothing is ever written: the operating system closes them when this process ends, in
// whatever way, and that is the message. They are kept here so that the garbage collector
// does not close them earlier.
var lifelines struct {
	sync.Mutex
	ends []*os.File
}

// keep starts a command whose standard input ends when this process does.
func keep(cmd *exec.Cmd) error {
	wait, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = wait.Close() }() // the command has its own copy
	cmd.Stdin = wait
	if err := cmd.Start(); err != nil {
		_ = end.Close()
		return err
	}
	lifelines.Lock()
	lifelines.ends = append(lifelines.ends, end)
	lifelines.Unlock()
	return nil
}

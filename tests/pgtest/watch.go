//go:build linux || darwin

package pgtest

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// lifelines are the writing ends of the watchers' pipes. Nothing is ever written:
// the operating system closes them when this process ends, in whatever way, and
// that is the message. They are kept here so that the garbage collector does not
// close them earlier.
var lifelines struct {
	sync.Mutex
	ends []*os.File
}

// watch starts a watcher that outlives this process by one shell script, which
// gets args as $1, $2 and so on. It runs as owner (nil: this user), in a session
// of its own, so that an interrupt from the terminal does not reach it.
func watch(owner *syscall.Credential, script string, args ...string) error {
	wait, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = wait.Close() }() // the watcher has its own copy
	cmd := exec.Command("/bin/sh", append([]string{"-c", "read -r _; " + script, "sh"}, args...)...)
	cmd.Dir = "/"
	cmd.Stdin = wait
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner, Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = end.Close()
		return err
	}
	lifelines.Lock()
	lifelines.ends = append(lifelines.ends, end)
	lifelines.Unlock()
	return cmd.Process.Release()
}

// watchAsSelf is watch with the watcher running as this process's own user.
func watchAsSelf(script string, args ...string) error { return watch(nil, script, args...) }

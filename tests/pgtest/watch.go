//go:build linux || darwin

package pgtest

import (
	"os/exec"
	"syscall"
)

// detach puts a command into a session of its own, so that an interrupt from the terminal
// does not reach it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// watch starts a watcher that runs a shell script once this process has ended.
// The script gets args as $1, $2 and so on. It runs as owner (nil: this user).
func watch(owner *syscall.Credential, script string, args ...string) error {
	cmd := exec.Command("/bin/sh", append([]string{"-c", "read -r _; " + script, "sh"}, args...)...)
	cmd.Dir = "/"
	detach(cmd)
	cmd.SysProcAttr.Credential = owner
	if err := keep(cmd); err != nil {
		return err
	}
	return cmd.Process.Release()
}

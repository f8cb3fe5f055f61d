//go:build linux || darwin

package machine

import "syscall"

// freeBytes returns what is free for this user on the disk of a folder.
func freeBytes(folder string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}

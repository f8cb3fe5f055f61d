//go:build linux || darwin

package pgtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tilth/tests/freeport"
	"tilth/tests/kept"
)

const (
	// localTimeout bounds each program that makes or starts a local server.
	localTimeout = 60 * time.Second
	// memoryFolder is Linux's in-memory file system: cloning a database there was
	// measured to be ten times as fast as on a disk. memoryNeeded is the space, in
	// bytes, that it must have; containers often get 64 MB of it.
	memoryFolder = "/dev/shm"
	memoryNeeded = 2 << 30
	// portTries bounds the tries to start on a port that was free a moment ago.
	portTries = 3
)

// binaryFolders are where packages put PostgreSQL's programs when they are not
// in the PATH (Debian, Red Hat, from source, Homebrew).
var binaryFolders = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/local/pgsql/bin",
	"/opt/homebrew/opt/postgresql*/bin",
}

// startLocal makes a cluster in a temporary folder and starts this machine's
// postgres on it, on loopback and a socket in that folder.
func startLocal(ctx context.Context) (*server, error) {
	programs, ok := findPrograms()
	if !ok {
		return nil, fmt.Errorf("PostgreSQL's programs: %w", errNotHere)
	}
	c, err := newCluster(programs)
	if err != nil {
		return nil, fmt.Errorf("local PostgreSQL: %w", err)
	}
	if err := c.init(ctx); err != nil {
		return nil, err
	}
	port, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	dsn := url.URL{
		Scheme: "postgres", User: url.UserPassword("postgres", c.password), Path: "/postgres",
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), RawQuery: "sslmode=disable",
	}
	return connectServer(ctx, dsn.String(), "local server from "+programs, readyTimeout)
}

// findPrograms returns the folder that contains initdb, postgres and pg_ctl: that of
// the initdb in the PATH, with links resolved, or else the newest installed version.
func findPrograms() (folder string, ok bool) {
	var folders []string
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(initdb); err == nil {
			folders = append(folders, filepath.Dir(real))
		}
	}
	for _, pattern := range binaryFolders {
		found, _ := filepath.Glob(pattern) // the patterns are constant and well formed
		slices.SortFunc(found, func(a, b string) int { return cmp.Compare(versionIn(b), versionIn(a)) })
		folders = append(folders, found...)
	}
	for _, folder := range folders {
		if hasPrograms(folder) {
			return folder, true
		}
	}
	return "", false
}

func hasPrograms(folder string) bool {
	for _, name := range []string{"initdb", "postgres", "pg_ctl"} {
		if _, err := exec.LookPath(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// versionIn returns the number in a path such as .../postgresql/15/bin, or 0.
func versionIn(path string) int {
	digits := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[0])
	return n
}

// cluster is a PostgreSQL data folder with its owner.
type cluster struct {
	programs string // folder of the programs
	folder   string // temporary: data, log, socket
	password string
	owner    *syscall.Credential // nil: this process's own user
}

// newCluster makes the folder and arranges that, when this process ends, the folder
// is removed and its server stopped. This is done before anything is started.
func newCluster(programs string) (*cluster, error) {
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(dataParent(), "tilth-pgtest-")
	if err != nil {
		return nil, err
	}
	c := &cluster{programs: programs, folder: folder, password: newPassword(), owner: owner}
	if owner != nil {
		if err := os.Chown(folder, int(owner.Uid), int(owner.Gid)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(folder))
		}
	}
	const stop = `"$1/pg_ctl" -D "$2/data" -m immediate -w stop; rm -rf "$2"`
	if err := watch(owner, stop, programs, folder); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return c, nil
}

// dataParent returns the folder in which to make the cluster's folder; an empty
// string is the system's folder for temporary files.
func dataParent() string {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memoryFolder, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < memoryNeeded {
		return ""
	}
	return memoryFolder
}

// unprivileged returns the user to run the server as when this process is root,
// which PostgreSQL refuses: postgres, which its packages create, or nobody.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody")
}

// init makes the data folder: a copy of the first one of this make test, which takes an eighth of the time of a new one.
func (c *cluster) init(ctx context.Context) error {
	isFirst := false
	first, err := kept.Folder("postgres", func(folder string) error {
		isFirst = true
		if err := c.initNew(ctx); err != nil {
			return err
		}
		return c.copyTo(folder)
	})
	switch {
	case err != nil || isFirst:
		return err
	case first == "":
		return c.initNew(ctx)
	}
	return c.copyFrom(first)
}

// The names of a data folder and the password of its superuser in the folder of a copy.
const (
	keptData     = "data"
	keptPassword = "password"
)

// copyTo copies what initNew has made into a folder.
func (c *cluster) copyTo(folder string) error {
	if err := os.WriteFile(filepath.Join(folder, keptPassword), []byte(c.password), 0o600); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(folder, keptData), os.DirFS(c.data()))
}

// copyFrom makes the data folder from one that copyTo has filled.
func (c *cluster) copyFrom(folder string) error {
	password, err := os.ReadFile(filepath.Join(folder, keptPassword))
	if err != nil {
		return err
	}
	c.password = string(password)
	if err := os.CopyFS(c.data(), os.DirFS(filepath.Join(folder, keptData))); err != nil {
		return err
	}
	if err := os.Chmod(c.data(), 0o700); err != nil { // a server refuses one that others can read
		return err
	}
	return c.own(c.data())
}

// own hands a folder to the cluster's owner.
func (c *cluster) own(folder string) error {
	if c.owner == nil {
		return nil
	}
	return filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, int(c.owner.Uid), int(c.owner.Gid))
	})
}

// initNew makes the data folder with PostgreSQL's own program.
func (c *cluster) initNew(ctx context.Context) error {
	secret := filepath.Join(c.folder, "password")
	if err := os.WriteFile(secret, []byte(c.password+"\n"), 0o600); err != nil {
		return err
	}
	if err := c.own(secret); err != nil {
		return err
	}
	// md5 is only for speed: SCRAM costs every connection thousands of rounds of a hash.
	return c.run(ctx, "initdb", "-D", c.data(), "-U", "postgres", "--pwfile="+secret, "--auth=md5",
		"--encoding=UTF8", "--locale=C", "--no-sync")
}

// start starts the server on a free loopback port, waits until it is up, and
// returns the port. If another process takes the port first, the next one is
// tried.
func (c *cluster) start(ctx context.Context) (port int, err error) {
	for range portTries {
		port, err = freeport.Find(ctx)
		if err != nil {
			return 0, err
		}
		settings := append(serverSettings(),
			"-c", "listen_addresses=127.0.0.1", "-p", strconv.Itoa(port),
			"-c", "unix_socket_directories="+c.folder,
			"-c", "shared_preload_libraries="+strings.Join(c.libraries(), ","))
		err = c.run(ctx, "pg_ctl", "-D", c.data(), "-l", c.log(), "-w", "-o", strings.Join(settings, " "), "start")
		if err == nil {
			return port, nil
		}
		if text, readErr := os.ReadFile(c.log()); readErr == nil {
			err = fmt.Errorf("%w\n%s", err, text)
		}
	}
	return 0, err
}

// libraries returns those of the common libraries that are installed where packages put them. The server loads them once;
// otherwise every connection that uses one would.
func (c *cluster) libraries() []string {
	return slices.DeleteFunc([]string{"plpgsql", "pg_trgm"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(filepath.Dir(c.programs), "lib", name+".so"))
		return err != nil
	})
}

func (c *cluster) data() string { return filepath.Join(c.folder, "data") }
func (c *cluster) log() string  { return filepath.Join(c.folder, "log") }

// run runs one of PostgreSQL's programs as the cluster's owner. Its output goes to
// a file: a pipe would stay open as long as the server that the program starts.
func (c *cluster) run(ctx context.Context, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	output, err := os.CreateTemp(c.folder, "output-")
	if err != nil {
		return err
	}
	defer func() { _ = output.Close() }() // it is read by name, and others write it
	cmd := exec.CommandContext(ctx, filepath.Join(c.programs, program), args...)
	cmd.Dir = c.folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.owner, Setsid: true}
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(output.Name()) // its output helps, but is not needed
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(text)))
	}
	return nil
}

package power

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Disk is the files below a folder as they would be found after a power cut.
type Disk struct {
	root    string
	names   map[string]*inode            // as the program sees them
	lasting map[string]map[string]*inode // by folder: the names that a sync of it saved
	syncs   map[string]sync              // by thread, while they are running
}

// inode is a file or a folder. The changes are the writes that no sync has saved yet.
type inode struct {
	folder  bool
	content []byte
	changes []*change
}

// change is one write, or a truncation where data is nil.
type change struct {
	thread string
	at     int64
	data   []byte
	done   bool
}

// sync is a sync that is running: it saves what was done when it began.
type sync struct {
	file    *inode
	changes []*change
	folder  string
	names   map[string]*inode
}

// NewDisk returns the disk of a folder that exists, and is empty, when the trace begins.
func NewDisk(root string) *Disk {
	return &Disk{root, map[string]*inode{root: {folder: true}}, map[string]map[string]*inode{}, map[string]sync{}}
}

// Replay replays a trace. Before each answer of an HTTP server it calls answered with the head
// and the beginning of the body; the disk is then as a power cut at that moment would leave it.
func (d *Disk) Replay(trace []byte, answered func(answer []byte) error) error {
	return read(trace, func(c call, ends bool) error {
		switch {
		case strings.Contains(c.name, "sync"):
			return d.sync(c, ends)
		case strings.Contains(c.name, "write") && strings.HasPrefix(c.file(0), "socket:"):
			text, err := written(c)
			if err == nil && !ends && bytes.HasPrefix(text, []byte("HTTP/1.1 ")) {
				err = answered(text)
			}
			return err
		case strings.Contains(c.name, "write"), c.name == "ftruncate":
			return d.write(c, ends)
		case ends && !c.failed():
			return d.name(c)
		}
		return nil
	})
}

func (d *Disk) inside(path string) bool { return strings.HasPrefix(path, d.root+"/") }

func written(c call) ([]byte, error) {
	if strings.HasSuffix(c.name, "v") {
		return c.texts(1)
	}
	return c.text(1)
}

// write records a write as a change. Writes without a position go to the end: the program
// writes its files from beginning to end.
func (d *Disk) write(c call, ends bool) error {
	file := d.names[c.file(0)]
	if file == nil {
		return nil
	}
	if ends {
		for _, change := range file.changes {
			change.done = change.done || change.thread == c.thread
		}
		return nil
	}
	made := &change{thread: c.thread}
	var err error
	switch c.name {
	case "ftruncate":
		made.at, err = c.number(1)
	case "pwrite64":
		if made.at, err = c.number(3); err == nil {
			made.data, err = c.text(1)
		}
	case "write", "writev":
		made.at = int64(len(file.seen(func(*change) bool { return true })))
		made.data, err = written(c)
	default:
		err = fmt.Errorf("%s is not replayed", c.name)
	}
	file.changes = append(file.changes, made)
	return err
}

// sync saves what was done when the sync began, once it ends without an error.
func (d *Disk) sync(c call, ends bool) error {
	path := c.file(0)
	file := d.names[path]
	switch {
	case file == nil:
	case !ends:
		s := sync{file: file, folder: path, names: map[string]*inode{}}
		for _, change := range file.changes {
			if change.done {
				s.changes = append(s.changes, change)
			}
		}
		for name, inode := range d.names {
			if filepath.Dir(name) == path {
				s.names[name] = inode
			}
		}
		d.syncs[c.thread] = s
	case c.result == "0":
		s := d.syncs[c.thread]
		if s.file.folder {
			d.lasting[s.folder] = s.names
			break
		}
		saved := func(one *change) bool { return slices.Contains(s.changes, one) }
		s.file.content = s.file.apply(s.file.content, saved)
		s.file.changes = slices.DeleteFunc(s.file.changes, saved)
	}
	return nil
}

// seen returns the content with the chosen changes.
func (i *inode) seen(chosen func(*change) bool) []byte {
	return i.apply(slices.Clone(i.content), chosen)
}

func (i *inode) apply(content []byte, chosen func(*change) bool) []byte {
	for _, change := range i.changes {
		if !chosen(change) {
			continue
		}
		end := int(change.at) + len(change.data)
		if missing := end - len(content); missing > 0 {
			content = append(content, make([]byte, missing)...)
		}
		if change.data == nil {
			content = content[:end]
		}
		copy(content[change.at:], change.data)
	}
	return content
}

// name follows what the calls do to names.
func (d *Disk) name(c call) error {
	at := strings.Contains(c.name, "at") && c.name != "creat"
	first := 0
	if at {
		first = 1
	}
	path, err := c.path(at, first)
	if err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(c.name, "open"), c.name == "creat":
		return d.opened(path, c.args[first+1:])
	case strings.HasPrefix(c.name, "mkdir"):
		if d.inside(path) {
			d.names[path] = &inode{folder: true}
		}
	case strings.HasPrefix(c.name, "unlink"):
		delete(d.names, path)
	case strings.HasPrefix(c.name, "rename"), strings.HasPrefix(c.name, "link"):
		to, err := c.path(at, 2*first+1)
		if err != nil {
			return err
		}
		if d.inside(to) {
			d.names[to] = d.names[path]
		}
		if strings.HasPrefix(c.name, "rename") {
			delete(d.names, path)
		}
	default:
		return fmt.Errorf("%s is not replayed", c.name)
	}
	return nil
}

func (d *Disk) opened(path string, flags []string) error {
	if !d.inside(path) {
		return nil
	}
	has := func(flag string) bool { return len(flags) > 0 && slices.Contains(strings.Split(flags[0], "|"), flag) }
	file := d.names[path]
	if file == nil && has("O_CREAT") {
		d.names[path] = &inode{}
	}
	if file != nil && has("O_TRUNC") {
		file.changes = append(file.changes, &change{done: true})
	}
	return nil
}

// Cut writes into a folder what a power cut would leave at this moment: everything that was synced and,
// of the rest, each change with the given chance, because a disk may save more than it was asked to.
func (d *Disk) Cut(into string, chance float64, random *rand.Rand) error {
	return d.cut(d.root, into, func(*change) bool { return random.Float64() < chance })
}

func (d *Disk) cut(folder, into string, kept func(*change) bool) error {
	for path, inode := range d.lasting[folder] {
		target := filepath.Join(into, filepath.Base(path))
		if !inode.folder {
			if err := os.WriteFile(target, inode.seen(kept), 0o600); err != nil {
				return err
			}
			continue
		}
		if err := os.Mkdir(target, 0o700); err != nil {
			return err
		}
		if err := d.cut(path, target, kept); err != nil {
			return err
		}
	}
	return nil
}

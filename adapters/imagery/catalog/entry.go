package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"tilth/adapters/imagery/internal/item"
	"tilth/core/vegetation"
)

// filesAfter is the age at which the state of an item's files is checked again: searches for many
// fields of one archive often follow each other within a second.
const filesAfter = 2 * time.Second

// entry is an item of the index, with the state of its files.
type entry struct {
	*item.Item

	mu               sync.Mutex
	state, auxiliary string
	checked          time.Time
}

// revise adds the state of the files to the scene's revisions: a file may be replaced without a change to its item.
func (e *entry) revise(root *os.Root, scene *vegetation.Scene, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state == "" || now.Sub(e.checked).Abs() >= filesAfter {
		e.state, e.auxiliary, e.checked = e.files(root, scene.Revision, false), e.files(root, scene.Auxiliary, true), now
	}
	scene.Revision, scene.Auxiliary = e.state, e.auxiliary
}

// files digests the state of the files of the auxiliary bands or of the others.
func (e *entry) files(root *os.Root, stated string, auxiliary bool) string {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, stated) // writing to a hash never fails
	for _, band := range slices.Sorted(maps.Keys(e.Assets)) {
		if band.Auxiliary() != auxiliary {
			continue
		}
		info, err := stat(root, e.Assets[band].Href)
		if err != nil {
			_, _ = fmt.Fprintln(h, band, "absent")
			continue
		}
		_, _ = fmt.Fprintln(h, band, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

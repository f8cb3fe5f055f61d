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
)

// filesAfter is the age from which the state of an item's files is checked again: searches for many
// fields of one archive often follow within a second.
const filesAfter = 2 * time.Second

// entry is an item of the index, with the state of its files.
type entry struct {
	*item.Item

	mu      sync.Mutex
	state   string
	checked time.Time
}

// revision adds the state of the files to the item's own revision: a file may be replaced without a
// change of its item.
func (e *entry) revision(root *os.Root, stated string, now time.Time) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != "" && now.Sub(e.checked).Abs() < filesAfter {
		return e.state
	}
	h := sha256.New()
	_, _ = fmt.Fprintln(h, stated) // writing to a hash never fails
	for _, band := range slices.Sorted(maps.Keys(e.Assets)) {
		info, err := stat(root, e.Assets[band].Href)
		if err != nil {
			_, _ = fmt.Fprintln(h, band, "absent")
			continue
		}
		_, _ = fmt.Fprintln(h, band, info.Size(), info.ModTime().UnixNano())
	}
	e.state, e.checked = hex.EncodeToString(h.Sum(nil)[:16]), now
	return e.state
}

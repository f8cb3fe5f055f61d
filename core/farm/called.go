package farm

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tilth/core/fault"
	"tilth/core/record"
)

// Called is a farm as files can refer to it: by its key in another system, or by its name.
type Called struct {
	ID         int64
	Name       string
	ExternalID string
}

// Directory finds farms by what files call them.
type Directory struct {
	byKey, byName map[string][]Called
	names         func() []string // in order
}

// NewDirectory returns a directory of farms.
func NewDirectory(farms []Called) Directory {
	d := Directory{byKey: map[string][]Called{}, byName: map[string][]Called{}}
	d.names = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(d.byName)) })
	for _, one := range farms {
		if one.ExternalID != "" {
			d.byKey[one.ExternalID] = append(d.byKey[one.ExternalID], one)
		}
		d.byName[NameKey(one.Name)] = append(d.byName[NameKey(one.Name)], one)
	}
	return d
}

// NameKey returns the key that all spellings of a farm's name share: neither case nor blanks distinguish farms.
func NameKey(name string) string { return record.Fold(oneLine(name)) }

// Find returns the farms that a file may mean: those with an external id, or else those with a name. A name that may be
// cut off and that no farm has stands for the longer names that begin with it.
func (d Directory) Find(said string, cut bool) []Called {
	if found := d.byKey[plainText(said)]; len(found) > 0 {
		return found
	}
	key := NameKey(said)
	found := d.byName[key]
	if len(found) > 0 || !cut || key == "" {
		return found
	}
	names := d.names()
	from, _ := slices.BinarySearch(names, key)
	for _, name := range names[from:] {
		if !strings.HasPrefix(name, key) {
			break
		}
		found = append(found, d.byName[name]...)
	}
	slices.SortFunc(found, func(a, b Called) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// Ambiguous adds an error that says how to tell apart several farms that a file may mean.
func Ambiguous(said string, found []Called, errs fault.Fields) {
	told := make([]string, 0, 2)
	for _, one := range found[:2] {
		text := "the farm " + strconv.FormatInt(one.ID, 10)
		if one.ExternalID != "" {
			text += " (external id " + strconv.Quote(one.ExternalID) + ")"
		}
		told = append(told, text)
	}
	key := cmp.Or(found[0].ExternalID, "KEY")
	errs.Addf(memberFarm, "%.60q may be %s. Fix: give the farms external ids, and state with values in the mapping which one is meant "+
		"({\"farm\": {\"property\": \"farm\", \"values\": {%.60q: %.60q}}}), or refer to them by their external ids in the file.", said, strings.Join(told, " or "), said, key)
}

// Destination is the farm that a feature of a file goes to. The zero value is none.
type Destination struct {
	record.Ref      // ID 0: it does not exist yet
	Made       bool // by the import
}

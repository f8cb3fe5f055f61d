package simulate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app"
	farmapp "tilth/app/farm"
	outlinesapp "tilth/app/farm/outlines"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
	"tilth/tests/rig"
)

// importing is files of outlines that are imported into farms of a planned world, small ones within their requests and large
// ones in the background. Fields are identified by the keys of another system: however often a file is sent, and whatever fails,
// there is one field for each key. Two thirds of them go to farms that their files name, and there is one farm of each name.
type importing struct {
	*planned
	intake   *outlinesapp.Imports
	fields   *farmapp.Records[farm.Field]
	overlaps *farmapp.OverlapChecker
	farm     int64
	grounds  []*geo.Boundary
	sent     int

	// The model.
	names   map[string]map[string]bool // the names that a field may have, by its key
	settled map[string]bool            // keys whose fields exist
	large   map[int64][]string         // imports in the background, with their keys
}

const (
	importKeys    = 6
	importGrounds = 4
)

func newImporting(p *planned, deps app.Deps) *importing {
	log := slog.New(slog.DiscardHandler)
	i := &importing{planned: p, fields: farmapp.NewFields(deps, geo.DefaultLimits()), names: map[string]map[string]bool{}, settled: map[string]bool{}, large: map[int64][]string{}}
	i.intake = &outlinesapp.Imports{Deps: deps, Objects: drawer{p, map[string][]byte{}}, Outlines: i, Farms: farmapp.NewFarms(deps), Fields: i.fields, Log: log, Sizes: rig.SmallBatches}
	i.overlaps = &farmapp.OverlapChecker{Deps: deps, Log: log}
	home := farm.Farm{Name: "Imports"}
	p.Put(func(tx ports.Repos) error { return tx.Farms.Insert(p.t.Context(), access.Own(1), []*farm.Farm{&home}) })
	i.farm = home.ID
	for step := range importGrounds {
		b, err := geo.NewBoundary(nil, rig.Square(100, 3+2*step), geo.DefaultLimits())
		require.NoError(p.t, err)
		i.grounds = append(i.grounds, &b)
	}
	return i
}

// Survey and Read read files whose lines are a key, a name and a ground; other lines are features without an outline.
func (i *importing) Survey(_ context.Context, _ string, file ports.Object) (ports.Survey, error) {
	n := int64(len(i.lines(file)))
	return ports.Survey{Features: n, Properties: []ports.Property{{Name: "farm"}, {Name: "key"}, {Name: "name"}}}, nil
}

func (i *importing) Attributes(ctx context.Context, media string, file ports.Object) iter.Seq2[ports.Feature, error] {
	return i.Read(ctx, media, file)
}

func (i *importing) Read(_ context.Context, _ string, file ports.Object) iter.Seq2[ports.Feature, error] {
	return func(yield func(ports.Feature, error) bool) {
		for _, line := range i.lines(file) {
			var f ports.Feature
			if words := strings.Fields(line); len(words) == 3 {
				ground, err := strconv.Atoi(words[2])
				require.NoError(i.t, err)
				f = ports.Feature{Boundary: i.grounds[ground], Attributes: map[string]string{"key": words[0], "name": words[1], "farm": farmOf(words[0])}}
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// farmOf returns the name that a file gives the farm of a field; empty: that of the request.
func farmOf(key string) string {
	if n := key[len(key)-1] % 3; n > 0 {
		return fmt.Sprint(namedFarm, n)
	}
	return ""
}

const namedFarm = "farm-"

func (i *importing) lines(file ports.Object) []string {
	text := make([]byte, file.Size())
	_, err := file.ReadAt(text, 0)
	require.NoError(i.t, err)
	return strings.Split(string(text), "\n")
}

// start sends a file under a key of its own until there is an answer.
func (i *importing) start() {
	i.sent++
	options := farm.ImportOptions{FarmID: i.farm, Mapping: farm.Mapping{"external_id": {Properties: []string{"key"}}, "farm": {Properties: []string{"farm"}}}, Preview: i.plan.IntN(6) == 0, Atomic: i.plan.IntN(3) == 0}
	name := fmt.Sprint("file-", i.sent)
	var keys, lines []string
	for _, n := range i.plan.Perm(importKeys)[:1+i.plan.IntN(3)] {
		key := fmt.Sprint("key-", n)
		keys, lines = append(keys, key), append(lines, fmt.Sprintf("%s %s %d", key, name, i.plan.IntN(importGrounds)))
	}
	if i.plan.IntN(8) == 0 {
		lines = append(lines, slices.Repeat([]string{"-"}, int(rig.SmallBatches.AtOnce))...)
	}
	status, id := i.ask(func(ctx context.Context) (int64, error) {
		report, err := i.intake.Start(ctx, i.owner, options, func() (outlinesapp.ImportFile, error) {
			return outlinesapp.ImportFile{Body: strings.NewReader(strings.Join(lines, "\n"))}, nil
		})
		return report.ID, err
	})
	require.Equal(i.t, 200, status)
	if options.Preview {
		return
	}
	for _, key := range keys {
		if i.names[key] == nil || id == 0 && len(i.open()) == 0 {
			i.names[key] = map[string]bool{}
		}
		i.names[key][name] = true
		i.settled[key] = i.settled[key] || id == 0
	}
	if id != 0 {
		i.large[id] = keys
	}
}

// open returns the imports that are not finished.
func (i *importing) open() (out []int64) {
	for _, id := range slices.Sorted(maps.Keys(i.large)) {
		if b := i.batch(id); b.Open() {
			out = append(out, id)
		}
	}
	return out
}

func (i *importing) batch(id int64) (out farm.Import) {
	i.Put(func(tx ports.Repos) (err error) {
		out, err = tx.Imports.Get(i.t.Context(), access.Own(1), id)
		return err
	})
	return out
}

func (i *importing) there() (out map[string][]farm.Field) {
	var keys []string
	for n := range importKeys {
		keys = append(keys, fmt.Sprint("key-", n))
	}
	i.Put(func(tx ports.Repos) (err error) {
		out, err = tx.Imports.Matches(i.t.Context(), access.Own(1), slices.Collect(maps.Values(i.farms())), keys)
		return err
	})
	return out
}

// farms returns the ids of the farms that fields go to, by name.
func (i *importing) farms() map[string]int64 {
	out := map[string]int64{"": i.farm}
	i.Put(func(tx ports.Repos) error {
		all, err := tx.Imports.Farms(i.t.Context(), access.Own(1))
		for _, one := range all {
			if strings.HasPrefix(one.Name, namedFarm) {
				require.NotContains(i.t, out, one.Name, "a farm is made once")
				out[one.Name] = one.ID
			}
		}
		return err
	})
	return out
}

func (i *importing) judge() {
	there, all := i.there(), 0
	for key, fields := range there {
		require.Len(i.t, fields, 1, "a field is made once")
		require.True(i.t, i.names[key][fields[0].Name], "%s is called %s", key, fields[0].Name)
		require.Equal(i.t, i.farms()[farmOf(key)], fields[0].Farm.ID)
		all++
	}
	for key := range i.settled {
		if i.settled[key] {
			require.Contains(i.t, there, key, "a field is lost")
		}
	}
	for name, id := range i.farms() {
		i.Put(func(tx ports.Repos) error {
			ids, err := tx.Fields.IDsOfFarm(i.t.Context(), access.Own(1), id)
			require.True(i.t, name == "" || len(ids) > 0, "%s is made for a field", name)
			all -= len(ids)
			return err
		})
	}
	require.Zero(i.t, all)
}

// judgeEnd compares the farm with the model when all work has ended: what is compared in the background is known by then, too.
func (i *importing) judgeEnd() {
	for id, keys := range i.large {
		b := i.batch(id)
		require.Equal(i.t, batch.Completed, b.Status, b.Reason)
		require.Equal(i.t, b.Total, b.Done)
		require.Equal(i.t, rig.SmallBatches.AtOnce, b.Tally[batch.Skip]-int64(len(keys))+b.Tally[batch.Create]+b.Tally[batch.Update])
		for _, key := range keys {
			i.settled[key] = true
		}
	}
	i.judge()
	there := i.there()
	for key := range there {
		field, err := i.fields.Retrieve(i.t.Context(), i.owner, false, there[key][0].ID)
		require.NoError(i.t, err)
		require.False(i.t, field.Overlaps.Pending)
		var want []int64
		for other := range there {
			if other != key && there[other][0].SameBoundary(&field) {
				want = append(want, there[other][0].ID)
			}
		}
		require.ElementsMatch(i.t, want, slices.Collect(refs(field.Overlaps.Fields)))
	}
}

func refs(of []record.Ref) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, r := range of {
			if !yield(r.ID) {
				return
			}
		}
	}
}

// drawer keeps files on the failing disk.
type drawer struct {
	p    *planned
	kept map[string][]byte
}

func (d drawer) Put(_ context.Context, name string, from io.Reader) (int64, error) {
	text, err := io.ReadAll(from)
	if err != nil || d.p.happens(0.05) {
		return 0, errDisk
	}
	d.kept[name] = text
	if d.p.happens(0.05) {
		return 0, errDisk // it was stored, but the caller does not learn of it
	}
	return int64(len(text)), nil
}

func (d drawer) Open(_ context.Context, name string) (ports.Object, error) {
	text, there := d.kept[name]
	switch {
	case d.p.happens(0.05):
		return nil, errDisk
	case !there:
		return nil, fault.Missing("file")
	}
	return opened{bytes.NewReader(text)}, nil
}

func (d drawer) Remove(_ context.Context, name string) error {
	if d.p.happens(0.05) {
		return errDisk
	}
	delete(d.kept, name)
	return nil
}

func (drawer) RemoveOlder(context.Context, string, time.Time) error { return nil }

type opened struct{ *bytes.Reader }

func (opened) Close() error { return nil }

package demo

import (
	"context"
	"time"

	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/record"
	"tilth/core/stratification"
	"tilth/ports"
)

// keyOf returns the key by which the demonstration recognises a record of its own, so that it is made only once.
func keyOf(name string) record.External {
	return record.External{ExternalID: "demo-" + name, Source: source}
}

// kept is a kind of records of the demonstration, and how one is recognised: by its key, or by its name.
type kept[T any] struct {
	records *farmapp.Records[T]
	in      func(tx ports.Repos) ports.Records[T]
	known   func(one T) (key record.External, name string)
}

func (l *Loader) farmsKept() kept[farm.Farm] {
	return kept[farm.Farm]{
		l.Farms, func(tx ports.Repos) ports.Records[farm.Farm] { return tx.Farms },
		func(f farm.Farm) (record.External, string) { return f.External, f.Name },
	}
}

func (l *Loader) fieldsKept() kept[farm.Field] {
	return kept[farm.Field]{
		l.Fields, func(tx ports.Repos) ports.Records[farm.Field] { return tx.Fields },
		func(f farm.Field) (record.External, string) { return f.External, f.Name },
	}
}

func (l *Loader) seasonsKept() kept[farm.Season] {
	return kept[farm.Season]{
		l.Seasons, func(tx ports.Repos) ports.Records[farm.Season] { return tx.Seasons },
		func(s farm.Season) (record.External, string) { return s.External, s.Name },
	}
}

func (l *Loader) areasKept() kept[stratification.AOI] {
	return kept[stratification.AOI]{
		l.AOIs.Records, func(tx ports.Repos) ports.Records[stratification.AOI] { return tx.AOIs },
		func(a stratification.AOI) (record.External, string) { return a.External, a.Name },
	}
}

// ensure returns a record of the demonstration, and makes it if it never existed; there is false if the user deleted
// it.
func ensure[T any](ctx context.Context, l *Loader, who access.Principal, of kept[T], wanted T) (one T, there bool, err error) {
	one, there, gone, err := find(ctx, l, who, of, wanted)
	if err != nil || there || gone {
		return one, there, err
	}
	made, err := of.records.Create(ctx, who, []farmapp.Draft[T]{{Record: wanted}}, false)
	if err != nil {
		return wanted, false, err
	}
	return made[0], true, nil
}

// find returns a record of the demonstration if it exists, and reports whether the user deleted it.
func find[T any](ctx context.Context, l *Loader, who access.Principal, of kept[T], wanted T) (one T, there, gone bool, err error) {
	key, name := of.known(wanted)
	same := func(one T) bool {
		hasKey, hasName := of.known(one)
		return hasKey == key || hasName == name // the user may rename it; older ones have no key
	}
	one, there, err = first(ctx, l, who, of.in, ports.Query{}, same)
	if err != nil || there {
		return one, there, false, err
	}
	gone, err = deleted(ctx, l, who, of.in, ports.Query{}, same)
	return wanted, false, gone, err
}

// deleted reports whether a record was deleted, however long ago.
func deleted[T any](ctx context.Context, l *Loader, who access.Principal, in func(tx ports.Repos) ports.Records[T], q ports.Query, is func(T) bool) (bool, error) {
	q.Deleted = time.Unix(0, 0) // at any time
	_, gone, err := first(ctx, l, who, in, q, is)
	return gone, err
}

// first returns the first matching record of a query, whether or not its service is subscribed to.
func first[T any](ctx context.Context, l *Loader, who access.Principal, in func(tx ports.Repos) ports.Records[T], q ports.Query, is func(T) bool) (found T, there bool, err error) {
	err = l.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		for one, err := range in(tx).Each(ctx, who.Scope(false), q) {
			if err != nil {
				return err
			}
			if is(one) {
				found, there = one, true
				return nil
			}
		}
		return nil
	})
	return found, there, err
}

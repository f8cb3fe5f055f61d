package external

import (
	"context"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// Stand returns the ids of the live records with some external ids, 0 where there is none, with what is wrong with each
// id. plural is the noun for the records in messages.
func Stand(ctx context.Context, repo ports.Keyed, scope access.Scope, plural string, keys []string) ([]int64, []fault.Fields, error) {
	held, err := repo.ByExternalID(ctx, scope, slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "" }))
	ids, errs, mine := make([]int64, len(keys)), make([]fault.Fields, len(keys)), map[string]bool{}
	for i, key := range keys {
		errs[i] = fault.Fields{}
		switch same := held[key]; {
		case key == "":
			errs[i].Addf(Member, "This is required: %s are matched by it.", plural)
		case mine[key]:
			errs[i].Add(Member, "An earlier item refers to the same record.")
		case len(same) > 1:
			errs[i].Addf(Member, "%d %s have it, including %d and %d. Fix: change or delete all but one.", len(same), plural, same[0], same[1])
		case len(same) == 1:
			ids[i] = same[0]
		}
		mine[key] = true
	}
	return ids, errs, err
}

// Kind is a kind of record of which a company has few, as far as external ids go: its use cases write one record each.
type Kind struct {
	Noun, Plural string
	Access       access.Resource
	Repo         func(ports.Repos) ports.Keyed
	Lock         func(ctx context.Context, tx ports.Repos, scope access.Scope) error // takes the lock that its use cases take first; nil: none
}

// Match returns the ids of the live records that items with some external ids stand for, 0 for a new one, with what is wrong with
// each. Others who match records wait until the transaction ends. If existing records may not be changed, every item is a new one,
// and an item whose key is taken gets a Conflict (duplicate_external_id).
func (k Kind) Match(ctx context.Context, deps app.Deps, who access.Principal, keys []string, change bool) (ids []int64, wrong []error, err error) {
	need := []access.Permission{k.Access.Create}
	if change {
		need = append(need, k.Access.Edit)
	}
	if err := deps.Gate.Require(ctx, who, need...); err != nil {
		return nil, nil, err
	}
	scope := who.Scope(false)
	ids, wrong = make([]int64, len(keys)), make([]error, len(keys))
	err = deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if k.Lock != nil {
			if err := k.Lock(ctx, tx, scope); err != nil {
				return err
			}
		}
		repo := k.Repo(tx)
		if !change {
			items := make([]*corerecord.External, len(keys))
			for i, key := range keys {
				items[i] = &corerecord.External{ExternalID: key}
			}
			taken, err := Find(ctx, repo, scope, make([]*corerecord.External, len(keys)), items)
			for _, one := range taken {
				wrong[one.At] = duplicates(k.Noun, []Taken{one}, fixOrMatch)
			}
			return err
		}
		if err := repo.HoldKeys(ctx, scope); err != nil {
			return err
		}
		found, errs, err := Stand(ctx, repo, scope, k.Plural, keys)
		for i := range errs {
			ids[i], wrong[i] = found[i], errs[i].Err()
		}
		return err
	})
	return ids, wrong, err
}

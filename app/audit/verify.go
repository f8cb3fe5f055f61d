package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"iter"

	"tilth/app"
	"tilth/core/chain"
	"tilth/core/fault"
	"tilth/ports"
)

// Verifier holds the use cases of an auditor: it verifies chains and exports them. It writes nothing.
type Verifier struct {
	Store ports.Store
	// PublicKeys are the keys, in base64, that checkpoints must be signed with; if empty, those of
	// the database.
	PublicKeys []string
}

// Verified is the outcome of verifying a chain.
type Verified struct {
	chain.ID
	Head    chain.Checkpoint // the last row and its hash; keep it elsewhere
	Rows    int64            // that were verified
	Erased  int64            // values in those rows that were erased
	Waiting int64            // rows that are not chained yet
	Broken  *chain.Break     // nil: it is whole
}

// Verify checks a chain of a company, or of every company where companyID is 0, in the order of
// their ids; or that of the operator. Faults: NotFound (company), Invalid (key).
func (v *Verifier) Verify(ctx context.Context, name chain.Name, companyID int64) iter.Seq2[Verified, error] {
	return func(yield func(Verified, error) bool) {
		companies, err := v.companies(ctx, name, companyID)
		if err != nil {
			yield(Verified{}, err)
			return
		}
		for _, id := range companies {
			one, err := app.In(ctx, v.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (Verified, error) {
				return v.verify(ctx, tx, chain.ID{Name: name, CompanyID: id})
			})
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

func (v *Verifier) companies(ctx context.Context, name chain.Name, companyID int64) ([]int64, error) {
	if name == chain.Operator {
		return []int64{0}, nil
	}
	return app.In(ctx, v.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]int64, error) {
		if companyID == 0 {
			return tx.Chains.Companies(ctx)
		}
		company, err := tx.Accounts.Company(ctx, companyID)
		return []int64{company.ID}, err
	})
}

// verify checks one chain, as of one moment.
func (v *Verifier) verify(ctx context.Context, tx ports.OperatorRepos, id chain.ID) (Verified, error) {
	out := Verified{ID: id}
	keys, err := v.keys(ctx, tx)
	if err != nil {
		return out, err
	}
	if out.Head, err = tx.Chains.Head(ctx, id); err != nil {
		return out, err
	}
	marks, err := tx.Chains.Checkpoints(ctx, id)
	if err != nil {
		return out, err
	}
	check := chain.NewVerifier(id, out.Head, marks, keys)
	for after, more := check.From(), true; more && check.Broken() == nil; {
		links, err := tx.Chains.Links(ctx, id, after, chainRows)
		if err != nil {
			return out, err
		}
		for _, link := range links {
			check.Next(link)
			after = link.Position
		}
		more = len(links) == chainRows
	}
	stray, err := tx.Chains.Stray(ctx, id)
	if err != nil {
		return out, err
	}
	check.End(stray)
	out.Rows, out.Erased = check.Verified()
	out.Broken = check.Broken()
	out.Waiting, err = tx.Chains.CountWaiting(ctx, id)
	return out, err
}

// keys returns the keys that signatures are checked against.
func (v *Verifier) keys(ctx context.Context, tx ports.OperatorRepos) (out []chain.Key, err error) {
	if len(v.PublicKeys) == 0 {
		return keysOf(ctx, tx)
	}
	for _, text := range v.PublicKeys {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) != ed25519.PublicKeySize {
			return nil, fault.Field("key", "A public key is 44 characters, as `tilth verify keys` prints it.")
		}
		out = append(out, chain.PublicKey(raw))
	}
	return out, nil
}

// Keys returns the keys that sign checkpoints, oldest first.
func (v *Verifier) Keys(ctx context.Context) ([]chain.Key, error) {
	return app.In(ctx, v.Store.Consult, keysOf)
}

// Exported is a line of the export of a chain: a row, or a checkpoint.
type Exported struct {
	Link       *chain.Linked
	Text       string        // the text of the row that is hashed
	Values     []chain.Value // its guarded values
	Checkpoint *chain.Checkpoint
}

// Export streams a chain with everything needed to recompute it: its checkpoints, then its rows,
// then its head. Faults: NotFound (company).
func (v *Verifier) Export(ctx context.Context, id chain.ID) iter.Seq2[Exported, error] {
	return app.Stream(ctx, v.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) iter.Seq2[Exported, error] {
		return func(yield func(Exported, error) bool) {
			if err := export(ctx, tx, id, func(e Exported) bool { return yield(e, nil) }); err != nil {
				yield(Exported{}, err)
			}
		}
	})
}

func export(ctx context.Context, tx ports.OperatorRepos, id chain.ID, yield func(Exported) bool) error {
	if id.Name != chain.Operator {
		if _, err := tx.Accounts.Company(ctx, id.CompanyID); err != nil {
			return err
		}
	}
	head, err := tx.Chains.Head(ctx, id)
	if err != nil {
		return err
	}
	marks, err := tx.Chains.Checkpoints(ctx, id)
	if err != nil {
		return err
	}
	for _, mark := range marks {
		if !yield(Exported{Checkpoint: &mark}) {
			return nil
		}
	}
	for after, more := head.Purged, true; more; {
		links, err := tx.Chains.Links(ctx, id, after, chainRows)
		if err != nil {
			return err
		}
		for _, link := range links {
			line := Exported{Link: &link}
			if link.Row != nil {
				line.Text, line.Values = id.Open(*link.Row, link.Salts)
			}
			if !yield(line) {
				return nil
			}
			after = link.Position
		}
		more = len(links) == chainRows
	}
	if head.Position != 0 {
		yield(Exported{Checkpoint: &head})
	}
	return nil
}

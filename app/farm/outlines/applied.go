package outlines

import (
	"context"
	"slices"
	"strings"
	"time"

	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/agronomy"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// applicationKind is the kind under which an import leaves applications out of task data unless its mapping takes them.
const applicationKind = "application"

// application is an application to a field as a file states it, or the reason why it is not taken.
type application struct {
	farm.Application
	called string // the product's name in the file
	reason string
}

// maySpread refuses callers who may not make fertilizations, and files that have none.
func (in *Imports) maySpread(ctx context.Context, who access.Principal, mapping farm.Mapping, survey ports.Survey) error {
	if err := in.Gate.Require(ctx, who, access.Fertilizations.Create, access.Fertilizations.Edit); err != nil {
		return err
	}
	if slices.ContainsFunc(survey.LeftOut, func(l ports.LeftOut) bool { return l.Kind == applicationKind }) {
		return nil
	}
	param, _, _ := strings.Cut(mapping["product"].Param, ".")
	return fault.Field(param, "The file does not say what was applied to its fields: only tasks in task data do. Fix: leave the product out of the mapping.")
}

// applications returns what a file states was applied to a field, and adds to errs what cannot be understood.
func applications(inputs []ports.TaskInput, mapping farm.Mapping, now time.Time, errs fault.Fields) (out []application) {
	for _, in := range inputs {
		wrong := fault.Fields{}
		one := application{called: in.Product}
		called, changed := mapping.Product(in.Product, wrong)
		switch {
		case len(wrong) > 0:
		case called == "":
			one.reason = "The mapping leaves the product out."
		case in.Planned && (in.On == nil || !in.On.After(now)):
			one.reason = "It was planned, and nothing says that it was done. Fix: enter it as a fertilization if it was."
		default:
			one.Application = applicationOf(in, called, changed, wrong)
		}
		if len(wrong) > 0 {
			errs.Add("product", in.Product+": "+reasonOf(wrong))
		}
		out = append(out, one)
	}
	return out
}

// applicationOf reads an application under the product name that the mapping yields; changed tells whether the mapping changed it.
func applicationOf(in ports.TaskInput, called string, changed bool, errs fault.Fields) farm.Application {
	out := farm.Application{Cut: in.Cut, Planned: in.Planned, Sown: in.Sown}
	r := &out.Record
	r.AppliedOn, r.DensityKgPerL, r.External = in.On, in.DensityKgPerL, record.External{ExternalID: in.ExternalID}
	product, known := farm.ProductNamed(called, in.Cut && !changed)
	switch {
	case !changed && in.Key+in.Typed != "": // written by Tilth
		r.Product, r.ProductName = in.Key, in.Typed
		product, _ = agronomy.FindProduct(in.Key)
		out.Cut = false
	case known && changed:
		r.Product, r.ProductName = product.Key, in.Product
	case known:
		r.Product = product.Key
	default:
		errs.Addf("product", "%.60q is not a product in the catalog, by key or by name. Fix: state what it means with values in the mapping "+
			"({\"product\": {\"property\": \"product\", \"values\": {\"AHL\": \"uan\", \"Herbicide\": null}}}; custom is any other fertilizer).", called)
		return out
	}
	if in.Rate > 0 {
		r.Amount, out.Step = &agronomy.Amount{Value: in.Rate, Unit: agronomy.Unit(in.Unit.Name)}, 1/in.Unit.Scale
		if r.DensityKgPerL == nil && r.Amount.Unit.Volume() {
			r.DensityKgPerL = product.Density
		}
	}
	r.Normalise()
	whole := *r
	whole.Cultivation.ID = 1 // the cultivation is found when the field is stored
	errs.Merge(whole.Check())
	return out
}

// spread makes the fertilizations that the file states and that do not exist yet, and changes those that it states differently.
func (p *featurePieces) spread(ctx context.Context, tx ports.Repos, judged []farm.Judged) error {
	var fields []int64
	for i := range judged {
		if len(p.piece[i].applied) > 0 && judged[i].FieldID != 0 && judged[i].Verdict != batch.Fail {
			fields = append(fields, judged[i].FieldID)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	s, err := p.spreader(ctx, tx, fields)
	if err != nil {
		return err
	}
	for i := range judged {
		if j := &judged[i]; slices.Contains(fields, j.FieldID) {
			for _, one := range p.piece[i].applied {
				s.settle(j, one)
			}
		}
	}
	return s.store(ctx, tx, p)
}

// spreader holds what is known about fields, and what the file changes.
type spreader struct {
	grown   map[int64][]farm.Grown // by field
	there   []farm.Fertilization
	taken   map[int64]bool // those of them that stand for an application of the file
	changes []farmapp.Change[farm.Fertilization]
	at      []func(farmapp.Settled[farm.Fertilization]) // receives the outcome of each change
}

func (p *featurePieces) spreader(ctx context.Context, tx ports.Repos, fields []int64) (*spreader, error) {
	scope := p.who.Scope(false)
	cultivations, err := tx.Cultivations.OfFields(ctx, scope, fields)
	if err != nil {
		return nil, err
	}
	grown, err := withSeasons(ctx, tx, scope, cultivations)
	if err != nil {
		return nil, err
	}
	out := &spreader{grown: map[int64][]farm.Grown{}, taken: map[int64]bool{}}
	for _, g := range grown {
		out.grown[g.Field.ID] = append(out.grown[g.Field.ID], g)
	}
	if out.there, err = tx.Fertilizations.OfFields(ctx, scope, fields); err != nil || len(out.there) == 0 {
		return out, err
	}
	locked, err := tx.Fertilizations.GetManyForUpdate(ctx, scope, distinct(out.there, func(f farm.Fertilization) int64 { return f.ID }))
	for i, f := range out.there {
		if now, ok := locked[f.ID]; ok {
			out.there[i] = now
		}
	}
	return out, err
}

// settle finds the fertilization of an application, or queues a new one.
func (s *spreader) settle(j *farm.Judged, one application) {
	out := farm.Applied{Product: one.called, On: one.Record.AppliedOn, Outcome: batch.Skip, Reason: one.reason}
	at := len(j.Applied)
	if out.Reason == "" {
		one.Record.Cultivation.ID, out.Reason = one.Among(s.grown[j.FieldID], j.Sown.CultivationID)
	}
	if out.Reason != "" {
		j.Applied = append(j.Applied, out)
		return
	}
	change := farmapp.Change[farm.Fertilization]{After: one.Record}
	out.Outcome = batch.Create
	if found := one.Find(s.there, s.taken); found != nil {
		s.taken[found.ID], out.FertilizationID, out.Outcome = true, found.ID, batch.Update
		change = farmapp.Change[farm.Fertilization]{Before: found, After: one.Over(*found)}
		if one.Says(found) {
			out.Outcome = batch.Skip
		}
	}
	if j.Applied = append(j.Applied, out); out.Outcome == batch.Skip {
		return
	}
	s.changes = append(s.changes, change)
	s.at = append(s.at, func(settled farmapp.Settled[farm.Fertilization]) {
		of := &j.Applied[at]
		if len(settled.Errors) > 0 {
			of.Outcome, of.Reason = batch.Skip, reasonOf(settled.Errors)
			return
		}
		of.FertilizationID = settled.Record.ID
		if j.Verdict == batch.Skip {
			j.Verdict = batch.Update
		}
	})
}

// store stores the changes. What the rules refuse about one, such as a key that another field's fertilization has, is reported for that one.
func (s *spreader) store(ctx context.Context, tx ports.Repos, p *featurePieces) error {
	if len(s.changes) == 0 {
		return nil
	}
	settled, err := p.Spread.Settle(ctx, tx, p.who, s.changes, nil, false)
	for i := range settled {
		s.at[i](settled[i])
	}
	return err
}

// reasonOf returns what is wrong with a record as one text.
func reasonOf(errs fault.Fields) string {
	var out []string
	for _, messages := range errs.Messages() {
		out = append(out, messages...)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

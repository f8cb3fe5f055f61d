package outlines

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"tilth/app"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// farmProperty is the property that names the farm of a field, in task data and in files that Tilth exported. It is used only if the
// mapping says so: otherwise all fields go to the farm of the request.
const farmProperty = "farm"

// farmIDProperty is the files' name for the id of the farm; in task data the farm also has an address.
const farmIDProperty = "farm_id"

// maxFarms is the number of farms that a file may name: they are held in memory while the import looks for them.
const maxFarms = 10_000

// maySettle returns whether the caller may make farms. A caller who may not is refused if the file names a farm that does not exist.
func (in *Imports) maySettle(ctx context.Context, who access.Principal, mapping farm.Mapping, file ImportFile, stored ports.Object) (bool, error) {
	denied := in.Gate.Require(ctx, who, access.Farms.Create)
	if denied != nil && !fault.Is(denied, fault.Forbidden) {
		return false, denied
	}
	named, err := in.farmsNamed(ctx, mapping, file, stored)
	if err != nil || denied == nil {
		return true, err
	}
	known, err := app.In(ctx, in.Store.Read, func(ctx context.Context, tx ports.Repos) (farm.Directory, error) {
		return directory(ctx, tx, who.Scope(false))
	})
	for called, cut := range named {
		if err == nil && len(known.Find(called, cut)) == 0 {
			return false, denied
		}
	}
	return false, err
}

// farmsNamed returns the names that the features of a file give to their farms, and whether each may be cut off.
func (in *Imports) farmsNamed(ctx context.Context, mapping farm.Mapping, file ImportFile, stored ports.Object) (map[string]bool, error) {
	named := map[string]bool{}
	for f, err := range in.Outlines.Attributes(ctx, file.Media, stored) {
		if err != nil {
			return nil, err
		}
		called, cut := mapping.Farm(f.Attributes, f.Cut)
		if called == "" {
			continue
		}
		if named[called] = cut; len(named) > maxFarms {
			param, _, _ := strings.Cut(mapping[farmProperty].Param, ".")
			wrong := fault.Fields{}
			wrong.Addf(param, "The file names more than %d farms. Fix: divide it, or take the farm from another property.", maxFarms)
			return nil, wrong.Err()
		}
	}
	return named, nil
}

func directory(ctx context.Context, tx ports.Repos, scope access.Scope) (farm.Directory, error) {
	all, err := tx.Imports.Farms(ctx, scope)
	return farm.NewDirectory(all), err
}

// proposeFarm returns the property that names several farms, if the mapping does not mention farms; it is empty if there is none.
func (r ImportReport) proposeFarm() (out ports.Property) {
	if _, said := r.Options.Mapping[farmProperty]; said {
		return out
	}
	for _, p := range r.Survey.Properties {
		if strings.EqualFold(p.Name, farmProperty) && len(p.Samples) > 1 && (out.Name == "" || p.Name == farmProperty) {
			out = p
		}
	}
	return out
}

// Proposed returns the mapping that the file suggests and the request leaves open. Nothing is imported by it.
func (r ImportReport) Proposed() farm.Mapping {
	out := farm.Mapping{}
	if p := r.proposeFarm(); p.Name != "" {
		out[farmProperty] = farm.Source{Properties: []string{p.Name}}
	}
	return out
}

// home is the destination of a feature, or the reason why it has none.
type home struct {
	farm.Destination
	wrong fault.Fields
}

// farmIDs returns the farms that features go to, in order.
func farmIDs(homes []home) []int64 {
	return slices.DeleteFunc(distinct(homes, func(h home) int64 { return h.ID }), func(id int64) bool { return id == 0 })
}

// homes returns where the features of the piece go, given the existing farms. A farm that does not exist has no id.
func (p *featurePieces) homes(ctx context.Context, tx ports.Repos) ([]home, error) {
	into := farm.Farm{Meta: record.Meta{ID: p.batch.Options.FarmID}}
	if !p.batch.Options.Mapping.Settles() {
		return p.assign(into, farm.Directory{}), nil
	}
	known, err := directory(ctx, tx, p.who.Scope(false))
	return p.assign(into, known), err
}

// lockHomes returns where the features of the piece go, and locks these farms in the order of their ids. Callers who make farms by the
// names in files wait for one another, so that none is made twice. Faults: NotFound (the farm of the request).
func (p *featurePieces) lockHomes(ctx context.Context, tx ports.Repos) ([]home, error) {
	scope := p.who.Scope(false)
	if !p.batch.Options.Mapping.Settles() {
		into, err := tx.Farms.GetForUpdate(ctx, scope, p.batch.Options.FarmID)
		p.into = into
		return p.assign(into, farm.Directory{}), err
	}
	if err := tx.Farms.HoldKeys(ctx, scope); err != nil {
		return nil, err
	}
	known, err := directory(ctx, tx, scope)
	if err != nil {
		return nil, err
	}
	wanted := map[int64]bool{p.batch.Options.FarmID: true}
	for _, c := range p.piece {
		if called, cut := c.said.Farm(); called != "" {
			for _, one := range known.Find(called, cut) {
				wanted[one.ID] = true
			}
		}
	}
	locked, err := tx.Farms.GetManyForUpdate(ctx, scope, slices.Sorted(maps.Keys(wanted)))
	if err != nil {
		return nil, err
	}
	into, ok := locked[p.batch.Options.FarmID]
	if !ok {
		return nil, fault.Missing(access.Farms.Name)
	}
	p.into = into
	// A farm that was deleted before it was locked does not exist, and one that was renamed has its new name.
	var there []farm.Called
	for _, id := range slices.Sorted(maps.Keys(locked)) {
		there = append(there, farm.Called{ID: id, Name: locked[id].Name, ExternalID: locked[id].ExternalID})
	}
	return p.assign(into, farm.NewDirectory(there)), nil
}

// assign returns where the features of the piece go: to the farm that the file names, or else to that of the request.
func (p *featurePieces) assign(into farm.Farm, known farm.Directory) []home {
	out := make([]home, len(p.piece))
	for i, c := range p.piece {
		out[i] = home{farm.Destination{Ref: record.Ref{ID: into.ID, Name: into.Name}}, fault.Fields{}}
		called, cut := c.said.Farm()
		if called == "" {
			if c.errors[farmProperty] != nil { // it cannot be understood
				out[i].Destination = farm.Destination{}
			}
			continue
		}
		switch found := known.Find(called, cut); len(found) {
		case 0:
			out[i].Destination = farm.Destination{Ref: record.Ref{Name: called}}
			if !p.batch.Options.MakesFarms {
				out[i].Destination = farm.Destination{}
				out[i].wrong.Addf(farmProperty, "No farm of your company has the external id or the name %.60q, and creating one requires farm.create.", called)
			}
		case 1:
			out[i].Ref = record.Ref{ID: found[0].ID, Name: found[0].Name}
		default:
			out[i].Destination = farm.Destination{}
			farm.Ambiguous(called, found, out[i].wrong)
		}
	}
	return out
}

// makeFarms makes the missing farms that sound features of the piece go to: each name once.
func (p *featurePieces) makeFarms(ctx context.Context, tx ports.Repos, piece *judgedPiece) error {
	if err := p.dropUnsound(ctx, tx, piece); err != nil {
		return err
	}
	var changes []farmapp.Change[farm.Farm]
	places := map[string]int{} // of the new farms among the changes, by name
	for i, change := range piece.changes {
		if change.After.Farm.ID != 0 {
			continue
		}
		key := farm.NameKey(change.After.Farm.Name)
		if _, known := places[key]; !known {
			places[key] = len(changes)
			changes = append(changes, farmapp.Change[farm.Farm]{After: p.newFarm(change.After.Farm.Name, p.piece[piece.of[i]])})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	made, err := p.Farms.Settle(ctx, tx, p.who, changes, nil, false)
	if err != nil {
		return err
	}
	piece.keep(func(_ int, change *farmapp.Change[farm.Field], j *farm.Judged) fault.Fields {
		if change.After.Farm.ID != 0 {
			return nil
		}
		s := made[places[farm.NameKey(change.After.Farm.Name)]]
		if len(s.Errors) > 0 {
			wrong := fault.Fields{}
			wrong.Addf(farmProperty, "The farm %.60q cannot be created: %s", change.After.Farm.Name, reasonOf(s.Errors))
			return wrong
		}
		change.After.Farm = record.Ref{ID: s.Record.ID, Name: s.Record.Name}
		j.Farm = farm.Destination{Ref: change.After.Farm, Made: true}
		return nil
	})
	return nil
}

// dropUnsound refuses features that would be refused anyway, so that no farm is made for them alone.
func (p *featurePieces) dropUnsound(ctx context.Context, tx ports.Repos, piece *judgedPiece) error {
	isNew := func(c farmapp.Change[farm.Field]) bool { return c.After.Farm.ID == 0 }
	if !slices.ContainsFunc(piece.changes, isNew) {
		return nil
	}
	settled := slices.Clone(piece.changes) // as if their farms existed
	for i := range settled {
		settled[i].After.Farm.ID = cmp.Or(settled[i].After.Farm.ID, p.into.ID)
	}
	wrong, err := p.Fields.Wrong(ctx, tx, p.who, settled)
	if err != nil {
		return err
	}
	piece.keep(func(i int, change *farmapp.Change[farm.Field], _ *farm.Judged) fault.Fields {
		if !isNew(*change) {
			return nil
		}
		return wrong[i]
	})
	return nil
}

// keep refuses the changes that have something wrong with them.
func (piece *judgedPiece) keep(wrong func(i int, change *farmapp.Change[farm.Field], j *farm.Judged) fault.Fields) {
	var changes []farmapp.Change[farm.Field]
	var of []int
	for i := range piece.changes {
		j := &piece.judged[piece.of[i]]
		if errs := wrong(i, &piece.changes[i], j); len(errs) > 0 {
			j.Verdict, j.Errors = batch.Fail, errs
			continue
		}
		changes, of = append(changes, piece.changes[i]), append(of, piece.of[i])
	}
	piece.changes, piece.of = changes, of
}

// newFarm returns a farm that a feature goes to, in the country of the request's farm unless its address names another.
func (p *featurePieces) newFarm(name string, c importCandidate) farm.Farm {
	out := farm.Farm{Name: name, Country: p.into.Country}
	at := c.address
	if from := p.batch.Options.Mapping[farmProperty].Properties; at == nil || len(from) != 1 || from[0] != farmProperty && from[0] != farmIDProperty {
		return out
	}
	out.Address, out.PostalCode, out.City, out.Region, out.Country = at.Address, at.PostalCode, at.City, at.Region, cmp.Or(at.Country, out.Country)
	return out
}

// madeFarms returns the farms that an import made for features, or would make, each once.
func madeFarms(judged []farm.Judged) (out []record.Ref) {
	seen := map[string]bool{}
	for _, j := range judged {
		if key := farm.NameKey(j.Farm.Name); j.Farm.Made && !seen[key] {
			seen[key], out = true, append(out, j.Farm.Ref)
		}
	}
	return out
}

package outlines

import (
	"context"
	"slices"
	"strconv"
	"strings"

	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// cropProperty is the property that names the crop of a field, in task data and in files made for import.
const cropProperty = "crop"

// chooseCrop makes a mapping that names a season take the crops of the file, and refuses one for which the file has none.
func chooseCrop(mapping farm.Mapping, names []string) error {
	if _, said := mapping[cropProperty]; said || !mapping.SaysSeason() {
		return nil
	}
	name := named(ports.Column{Name: cropProperty, Short: cropProperty}, names)
	if name == "" {
		param, _, _ := strings.Cut(mapping["season_id"].Param, ".")
		f := fault.Fields{}
		f.Add(param, "The file does not mention crops: no feature has a property \"crop\". Fix: state which property does (map=crop:NAME), or leave the season out.")
		return f.Err()
	}
	mapping[cropProperty] = farm.Source{Properties: []string{name}}
	return nil
}

// maySow refuses callers who may not make cultivations, and a season for the whole file that does not exist.
func (in *Imports) maySow(ctx context.Context, who access.Principal, mapping farm.Mapping) error {
	if err := in.Gate.Require(ctx, who, access.Cultivations.Create); err != nil {
		return err
	}
	id, err := strconv.ParseInt(mapping["season_id"].Default, 10, 64)
	if err != nil { // each feature names its own season, and is judged by it
		return nil
	}
	return in.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		_, err := tx.Seasons.Get(ctx, who.Scope(false), id)
		if fault.Is(err, fault.NotFound) {
			param, _, _ := strings.Cut(mapping["season_id"].Param, ".")
			f := fault.Fields{}
			f.Addf(param, "There is no season %d in your company.", id)
			return f.Err()
		}
		return err
	})
}

// LeftOut are records of a file that an import does not take.
type LeftOut struct {
	ports.LeftOut
	Reason string
}

// whyLeftOut states, by kind, why records are left out, and what can be done about it.
var whyLeftOut = map[string]string{
	applicationKind: "What was applied becomes fertilizations where the request takes its product. Fix: map=product:product.",
	"device":        "Machines have no record here.",
	"guidance":      "Guidance lines have no record here.",
	"point":         "A sample belongs to a plan of an area of interest, and a point says neither its zone nor its depths. Fix: make an area of interest of the fields, a map of zones and a plan, and send the file to soil/stratification/sample-plan/{map_uuid}/points/.",
	"product":       "No task applies it to a field of the file, and a product on its own has no record here.",
	"task":          "It does not say that an amount of a product was applied to a whole field of the file, once.",
	"way":           "Ways in a field are not part of its outline.",
	"worker":        "People are invited; a name alone does not make a user.",
}

// LeftOut returns what the file contains and the import does not take.
func (r ImportReport) LeftOut() (out []LeftOut) {
	if p := r.proposeFarm(); p.Name != "" {
		out = append(out, LeftOut{
			ports.LeftOut{Kind: farmProperty, Count: p.Features, Samples: p.Samples},
			"All fields go to the farm of the request. Fix: map=farm:" + p.Name + ", and each goes to its own.",
		})
	}
	for _, p := range r.Survey.Properties {
		if strings.EqualFold(p.Name, cropProperty) && p.Features > 0 && !r.Options.Mapping.Sows() {
			out = append(out, LeftOut{
				ports.LeftOut{Kind: cropProperty, Count: p.Features, Samples: p.Samples},
				"A crop grows in a season. Fix: name the season (season_id), and crops become cultivations.",
			})
		}
	}
	for _, left := range r.Survey.LeftOut {
		if left.Kind == applicationKind && r.Options.Mapping.Spreads() {
			continue
		}
		out = append(out, LeftOut{left, whyLeftOut[left.Kind]})
	}
	return out
}

// cropNames are the active crops of the catalog by the names that people use: their slugs, and their names in every language.
type cropNames map[string][]record.Ref

func cropKey(name string) string { return strings.ToLower(oneLine(name)) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func readCropNames(ctx context.Context, tx ports.Repos) (cropNames, error) {
	out := cropNames{}
	for crop, err := range tx.Crops.Each(ctx, ports.Query{}) {
		if err != nil {
			return nil, err
		}
		if !crop.IsActive {
			continue
		}
		words := []string{crop.Slug, crop.Name}
		for _, name := range crop.Names {
			words = append(words, name)
		}
		ref := record.Ref{ID: crop.ID, Name: crop.Name}
		for _, word := range words {
			if key := cropKey(word); key != "" && !slices.Contains(out[key], ref) {
				out[key] = append(out[key], ref)
			}
		}
	}
	return out, nil
}

// find returns the crop of a name; a name that may be cut off matches the only crop whose name begins with it.
func (n cropNames) find(name string, cut bool, errs fault.Fields) record.Ref {
	key := cropKey(name)
	found := n[key]
	if len(found) == 0 && cut {
		for word, refs := range n {
			if strings.HasPrefix(word, key) {
				found = append(found, refs...)
			}
		}
		slices.SortFunc(found, func(a, b record.Ref) int { return int(a.ID - b.ID) })
		found = slices.Compact(found)
	}
	const translate = " Fix: state what it means with values in the mapping ({\"crop\": {\"property\": \"crop\", \"values\": {\"WW\": \"winter_wheat\"}}}), or leave crops out (map=crop:)."
	switch len(found) {
	case 0:
		errs.Addf(cropProperty, "%.60q is not a crop in the catalog, by slug or by name.%s", name, translate)
		return record.Ref{}
	case 1:
		return found[0]
	default:
		errs.Addf(cropProperty, "%.60q may be %s or %s.%s", name, found[0].Name, found[1].Name, translate)
		return record.Ref{}
	}
}

// identify finds the crops and seasons that the features of the piece name; a name that matches none is an error of its feature.
func (p *featurePieces) identify(ctx context.Context) error {
	if !p.batch.Options.Mapping.Sows() || len(p.piece) == 0 {
		return nil
	}
	return p.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if p.crops == nil {
			if p.crops, err = readCropNames(ctx, tx); err != nil {
				return err
			}
		}
		var seasons []int64
		for i := range p.piece {
			c := &p.piece[i]
			if name, cut, season := c.said.Crop(c.errors); season != 0 {
				c.sown = farm.Sown{Crop: p.crops.find(name, cut, c.errors), SeasonID: season}
				seasons = append(seasons, season)
			}
		}
		known, err := tx.Seasons.Known(ctx, p.who.Scope(false), seasons)
		for i := range p.piece {
			if c := &p.piece[i]; c.sown.SeasonID != 0 && !known[c.sown.SeasonID] {
				c.errors.Add("season_id", "There is no season "+strconv.FormatInt(c.sown.SeasonID, 10)+" in your company.")
			}
		}
		return err
	})
}

// sow makes the cultivations that the file states and that do not exist yet.
func (p *featurePieces) sow(ctx context.Context, tx ports.Repos, judged []farm.Judged) error {
	var changes []farmapp.Change[farm.Cultivation]
	var wanted []*farm.Cultivation
	var at []int
	for i := range judged {
		sown, field := p.piece[i].sown, judged[i].FieldID
		if sown.SeasonID == 0 || field == 0 || judged[i].Verdict == batch.Fail {
			continue
		}
		one := farm.Cultivation{Field: record.Ref{ID: field}, Season: record.Ref{ID: sown.SeasonID}, Crop: sown.Crop}
		wanted, at = append(wanted, &one), append(at, i)
	}
	if len(wanted) == 0 {
		return nil
	}
	there, err := farmapp.FindSown(ctx, tx, p.who.Scope(false), wanted)
	if err != nil {
		return err
	}
	made := at[:0:0]
	for k, one := range wanted {
		j := &judged[at[k]]
		if j.Sown = p.piece[at[k]].sown; len(there[farmapp.SownKey(one)]) > 0 {
			j.Sown.CultivationID = there[farmapp.SownKey(one)][0]
			continue
		}
		changes, made = append(changes, farmapp.Change[farm.Cultivation]{After: *one}), append(made, at[k])
	}
	settled, err := p.Crops.Settle(ctx, tx, p.who, changes, nil, false)
	for k, s := range settled {
		if err := s.Errors.Err(); err != nil { // such as a season that was deleted meanwhile
			return err
		}
		j := &judged[made[k]]
		if j.Sown.CultivationID, j.Sown.Made = s.Record.ID, true; j.Verdict == batch.Skip {
			j.Verdict = batch.Update
		}
	}
	return err
}

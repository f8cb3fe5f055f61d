package soil

import (
	"context"
	"fmt"
	"slices"

	"tilth/app/satellite/photo"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/backdrop"
	"tilth/core/stratification/zoning"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Backgrounds makes images of fields from the imagery source, for the background of maps. It stores nothing.
type Backgrounds struct{ Imagery ports.Imagery }

// The bounds of an image.
const (
	maxImages  = 40 // fields
	maxPasses  = 12 // of a year, newest first, examined for a clear one
	maxAge     = 5  // years before the map
	clearShare = 0.95
	clearSteps = 24 // along a field's box: places that are looked at
)

// Of returns an image of each field, and a text on what it shows: the clearest of the last passes of the year
// before the map was made, or of the year before that, and so on, so that the same map always has the same
// image. Colours are natural if every scene has them, else grey of the near infrared. Without a clear view of
// half of the land in maxAge years there is no image, and the text says so.
//
// Faults: Invalid for too many fields, and those of ports.Imagery.
func (b *Backgrounds) Of(ctx context.Context, m zoning.Map, fields []ports.ShownField) (ports.ShownImages, error) {
	none := ports.ShownImages{About: fmt.Sprintf("The imagery source has no clear image of the %d years before the map.", maxAge)}
	if len(fields) > maxImages {
		return none, fault.Field("background", fmt.Sprintf("Images are drawn for at most %d fields; the map has %d.", maxImages, len(fields)))
	}
	utm, err := geo.NewUTM(m.About.EPSG)
	if err != nil {
		return none, err
	}
	v := &imageView{Reader: photo.Reader{Imagery: b.Imagery, Plane: utm, EPSG: m.About.EPSG}}
	var land geo.MultiPolygon
	for _, f := range fields {
		land = append(land, f.Outline...)
		v.fields = append(v.fields, utm.Project(f.Outline))
	}
	for year := range maxAge {
		scenes, err := b.Imagery.Search(ctx, land, m.CreatedAt.AddDate(-year-1, 0, 0), m.CreatedAt.AddDate(-year, 0, 0))
		if err != nil {
			return none, err
		}
		scenes = slices.DeleteFunc(scenes, func(s vegetation.Scene) bool { return s.Broken != "" || imageBands(s) == nil })
		best, err := v.clearest(ctx, vegetation.Passes(scenes, land.Centroid().X))
		if err != nil {
			return none, err
		}
		if len(best.Scenes) > 0 {
			return v.draw(ctx, best)
		}
	}
	return none, nil
}

var naturalBands, greyBands = []vegetation.Band{vegetation.B04, vegetation.B03, vegetation.B02}, []vegetation.Band{vegetation.B08}

// imageBands returns the bands for an image of a scene; nil if it lacks them.
func imageBands(s vegetation.Scene) []vegetation.Band {
	for _, bands := range [][]vegetation.Band{naturalBands, greyBands} {
		if !slices.ContainsFunc(bands, func(b vegetation.Band) bool { return !s.Bands[b] }) {
			return bands
		}
	}
	return nil
}

// imageView reads scenes in the plane of a map.
type imageView struct {
	photo.Reader
	fields []geo.MultiPolygon
}

// clearest returns the newest pass that shows nearly all of the land, or else the one of the newest passes that
// shows the largest part of it; it has no scenes if none shows half.
func (v *imageView) clearest(ctx context.Context, passes []vegetation.Pass) (best vegetation.Pass, err error) {
	slices.Reverse(passes)
	upper := 0.5
	for _, pass := range passes[:min(len(passes), maxPasses)] {
		share, err := v.clear(ctx, pass)
		if err != nil {
			return best, err
		}
		if share > upper {
			best, upper = pass, share
		}
		if share >= clearShare {
			break
		}
	}
	return best, nil
}

// clear returns the share of the land that a pass shows without cloud.
func (v *imageView) clear(ctx context.Context, pass vegetation.Pass) (float64, error) {
	seen, inside := 0, 0
	for _, field := range v.fields {
		box := field.Bounds()
		var views []landView
		for _, s := range pass.Scenes {
			band := vegetation.SCL
			if !s.Bands[band] {
				band = imageBands(s)[0]
			}
			view, ok, err := v.Band(ctx, s, band, box)
			if err != nil {
				return 0, err
			}
			if ok {
				views = append(views, landView{view, band == vegetation.SCL})
			}
		}
		for i := range clearSteps * clearSteps {
			p := geo.Position{
				X: box.MinX + (box.MaxX-box.MinX)*(float64(i%clearSteps)+0.5)/clearSteps,
				Y: box.MinY + (box.MaxY-box.MinY)*(float64(i/clearSteps)+0.5)/clearSteps,
			}
			if !field.Contains(p) {
				continue
			}
			inside++
			if slices.ContainsFunc(views, func(b landView) bool { return b.clear(p) }) {
				seen++
			}
		}
	}
	return float64(seen) / float64(max(inside, 1)), nil
}

// landView is a band that tells whether land is visible.
type landView struct {
	photo.Band
	classes bool // a scene classification
}

// clear reports whether a place has a clear value: in a classification a class without cloud, in a band any value.
func (b landView) clear(p geo.Position) bool {
	number, ok := b.Value(p)
	return ok && (!b.classes || vegetation.Mask{}.Keeps(vegetation.Class(number)))
}

// draw makes the images of a pass: each pixel comes from the first scene that has all bands there.
func (v *imageView) draw(ctx context.Context, pass vegetation.Pass) (ports.ShownImages, error) {
	bands := naturalBands
	for _, s := range pass.Scenes {
		if imageBands(s)[0] != naturalBands[0] {
			bands = greyBands
		}
	}
	var images []backdrop.Image
	for _, field := range v.fields {
		image := backdrop.Around(field, len(bands))
		for _, s := range pass.Scenes {
			if err := v.Fill(ctx, image, s, bands); err != nil {
				return ports.ShownImages{}, err
			}
		}
		images = append(images, image)
	}
	out := ports.ShownImages{About: fmt.Sprintf("Image of %s, natural colours", pass.Day.Format("2 January 2006"))}
	if len(bands) == 1 {
		out.About = fmt.Sprintf("Image of %s, near infrared", pass.Day.Format("2 January 2006"))
	}
	if pass.Scenes[0].Synthetic {
		out.About += " (synthetic)"
	}
	for i, painted := range backdrop.Paint(images) {
		out.Images = append(out.Images, ports.ShownImage{Box: images[i].Box, Pixels: painted})
	}
	return out, nil
}

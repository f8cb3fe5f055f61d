package satellite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"sync"
	"time"

	"tilth/app"
	"tilth/app/task"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

// mapFolder is the folder of the maps' files in the object store, which are named by the digest of their content.
const mapFolder = "maps"

// LayerComputer computes the dates of one map, without a database.
type LayerComputer interface {
	Layers(ctx context.Context, req LayerRequest, keep func(ctx context.Context, layer indexmap.Layer) error) (vegetation.Series, error)
}

// LayerMaker makes the layers of a map that has no dates.
type LayerMaker interface {
	// Make returns the layers; none explains why none of them has pixels. Faults: Unavailable if a source is.
	Make(ctx context.Context, order vegetation.OrderState) (layers []fieldmap.Made, none string, err error)
}

// LayerMakers are the makers for the products whose maps have no dates.
type LayerMakers map[credit.Product]LayerMaker

// MapSources are the sources from which maps are made.
type MapSources struct {
	Dates  LayerComputer // for maps of indices
	Layers LayerMakers
}

// MapWorker computes ordered maps, and keeps them up to date.
type MapWorker struct {
	runner  task.Runner[ports.Repos]
	sources MapSources
	objects ports.Objects
	files   ports.MapFiles
}

// NewMapWorker makes a worker.
func NewMapWorker(deps app.Deps, sources MapSources, objects ports.Objects, files ports.MapFiles, log *slog.Logger) *MapWorker {
	return &MapWorker{task.ForCompany(deps.Store, deps.Clock, deps.IDs, log), sources, objects, files}
}

// Jobs returns the functions that do the jobs of maps, by kind: those that compute an order, and those that follow
// ([MapRefreshing], [MapRecomputing]).
func (w *MapWorker) Jobs() map[string]func(ctx context.Context, job ports.Job) error {
	out := map[string]func(ctx context.Context, job ports.Job) error{}
	for _, p := range mapProducts {
		work := mapWork{w, p}
		out[p.job] = func(ctx context.Context, job ports.Job) error {
			return task.Do(ctx, w.runner, orderLimits, orderWork{p, work.make, w.runner.IDs}, job)
		}
		out[p.job+MapRefreshing] = func(ctx context.Context, job ports.Job) error {
			return task.Do(ctx, w.runner, refreshLimits, mapRefresh{work}, job)
		}
		out[p.job+MapRecomputing] = func(ctx context.Context, job ports.Job) error {
			return task.Do(ctx, w.runner, refreshLimits, mapRecompute{mapRefresh{work}}, job)
		}
	}
	return out
}

// Run does one job for maps.
func (w *MapWorker) Run(ctx context.Context, job ports.Job) error {
	return w.Jobs()[job.Kind](ctx, job)
}

// mapWork makes the maps of one product.
type mapWork struct {
	*MapWorker
	product
}

// make computes an ordered map.
func (w mapWork) make(ctx context.Context, order vegetation.OrderState) (made, error) {
	if !w.dated() {
		return w.layered(ctx, order)
	}
	out, err := w.layers(ctx, order, vegetation.Series{}, nil)
	if day := order.Map.Day; err == nil && day != nil && len(out.series.Observations) == 0 && vegetation.RehydrateOrder(order).SeasonOver(w.runner.Clock.Now()) {
		out.near, err = w.near(ctx, order, *day)
	}
	return out, err
}

// layered makes the layers of a map that has no dates, and stores their pixels.
func (w mapWork) layered(ctx context.Context, order vegetation.OrderState) (out made, err error) {
	out.layered = true
	layers, none, err := w.sources.Layers[w.code].Make(ctx, order)
	if err != nil {
		return out, err
	}
	out.none = none
	for _, l := range layers {
		if l.Pixels != nil {
			file, err := w.store(ctx, *l.Pixels)
			if err != nil {
				return out, err
			}
			l.Object, l.Bytes = file.Object, file.Bytes
		}
		out.layers = append(out.layers, l.Layer)
	}
	return out, nil
}

// layers computes the dates of a map and stores the pixels of those that are not known; there lists the existing files.
func (w *MapWorker) layers(ctx context.Context, order vegetation.OrderState, known vegetation.Series, there []indexmap.File) (out made, err error) {
	req, err := layerRequest(order)
	if err != nil {
		return out, err
	}
	req.Known = known
	var storing sync.Mutex
	stored := map[string]indexmap.File{}
	out.series, err = w.sources.Dates.Layers(ctx, req, func(ctx context.Context, l indexmap.Layer) error {
		file, err := w.store(ctx, l)
		if err == nil {
			storing.Lock()
			defer storing.Unlock()
			stored[passOf(l.Day, l.Scenes)] = file
		}
		return err
	})
	if err != nil {
		return out, err
	}
	if day := order.Map.Day; day != nil && len(out.series.Observations) > 0 {
		out.series = out.series.Only(out.series.Nearest(*day, 1)[0])
	}
	for _, o := range out.series.Observations {
		file, ok := stored[passOf(o.Date, o.Items)]
		for _, f := range there {
			if !ok && f.Day.Equal(o.Date) {
				file, ok = f, true
			}
		}
		if !ok {
			return out, fault.Newf(fault.Internal, "map_file", "no pixels of %s", o.Date.Format(time.DateOnly))
		}
		out.files = append(out.files, file)
	}
	return out, nil
}

// passOf returns a name for a pass over a field: passes of the same day have different scenes.
func passOf(day time.Time, scenes []string) string {
	return day.Format(time.DateOnly) + " " + strings.Join(scenes, " ")
}

func layerRequest(order vegetation.OrderState) (LayerRequest, error) {
	index, err := vegetation.ParseIndex(order.Index)
	return LayerRequest{SeriesRequest: SeriesRequest{
		Boundary: order.Boundary, From: order.StartDate, To: order.EndDate, Index: index, Mask: order.Mask, Dataset: order.Dataset,
	}}, err
}

// store puts the pixels of a date into the object store under the digest of their file. An existing file is stored again, so
// that it is kept for as long as a new one.
func (w *MapWorker) store(ctx context.Context, l indexmap.Layer) (indexmap.File, error) {
	var file bytes.Buffer
	if err := w.files.WriteLayer(&file, l); err != nil {
		return indexmap.File{}, err
	}
	digest := sha256.Sum256(file.Bytes())
	out := indexmap.File{Day: l.Day, Object: mapFolder + "/" + hex.EncodeToString(digest[:]) + ".tif", Bytes: int64(file.Len())}
	_, err := w.objects.Put(ctx, out.Object, &file)
	return out, err
}

// near finds the usable dates nearest to a map's date that has no usable pass.
func (w *MapWorker) near(ctx context.Context, order vegetation.OrderState, day time.Time) ([]time.Time, error) {
	req, err := layerRequest(order)
	if err != nil {
		return nil, err
	}
	req.From, req.To = vegetation.Around(day, vegetation.NearDays)
	series, err := w.sources.Dates.Layers(ctx, req, nil)
	return list.Map(series.Nearest(day, 2), func(o vegetation.Observation) time.Time { return o.Date }), err
}

// mapTypes are the event types of maps.
var mapTypes = map[credit.Product]string{
	credit.VegetationIndexMap: event.TypeVIMapCompleted, credit.ZoningMap: event.TypeZoningMapCompleted,
	credit.ElevationMap: event.TypeElevationMapCompleted, credit.SoilMap: event.TypeSoilMapCompleted,
}

// mapCompletedEvent returns the event of a map that is finished, or that has changed.
func mapCompletedEvent(id string, order vegetation.OrderState, m made, at time.Time) event.Event {
	out := event.MapCompleted{
		MapUUID: order.UUID, OrderID: order.ID, Product: string(order.Product), Outline: order.Map.Outline,
		IndexCode: order.Index, Mask: order.Mask.String(), Dataset: order.Dataset.String(), Status: string(order.Status),
		Dates: len(m.series.Observations), Layers: m.found().Layers,
	}
	if order.FieldID != 0 {
		out.Field, out.FieldUUID = &order.FieldID, &order.FieldUUID
	}
	if order.SeasonID != 0 {
		out.Season = &order.SeasonID
	}
	return event.Event{ID: id, Type: mapTypes[order.Product], CompanyID: order.CompanyID, Subject: "map/" + order.UUID, At: at, Data: out}
}

package farm

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/farm/outlines"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
)

// Overlap is a field that a boundary overlaps.
type Overlap struct {
	ID   *int64 `json:"id" doc:"Null for another feature of a file that is only previewed."`
	Name string `json:"name" doc:"Name of the field, or of the other feature."`
}

// ImportedFarm is a farm to which features of a file are assigned.
type ImportedFarm struct {
	ID   *int64 `json:"id" doc:"Null where it does not exist: a preview would create it, or nothing is assigned to it."`
	Name string `json:"name" doc:"Name of the farm."`
}

// ImportedFeature is a feature of a file with what the import does with it.
type ImportedFeature struct {
	Index       int64               `json:"index" doc:"Place in the file, from 0."`
	Row         *int64              `json:"row" doc:"Number of the row as a spreadsheet shows it, or of the line of CSV, the heading being the first; null where there is no table."`
	Verdict     string              `json:"verdict" enum:"create,update,skip,fail" doc:"create or update: a field is made or changed, or gets a cultivation or a fertilization. skip: nothing is done, because it already exists unchanged or for the reason in errors. fail: it is refused, as errors says."`
	FieldID     *int64              `json:"field_id" doc:"The field that was made, changed or matched."`
	Farm        *ImportedFarm       `json:"farm" doc:"The farm that it goes to; null where what the file says about it is refused, and for imports in the background."`
	Name        string              `json:"name" doc:"Name that the field takes from the file."`
	ExternalID  string              `json:"external_id" doc:"The record's key in the system it came from, as the file has it; empty where it has none."`
	AreaHa      *float64            `json:"area_ha" doc:"Hectares on the ellipsoid, to four decimals."`
	Outline     *member.Outline     `json:"outline,omitempty" doc:"The outline as in the file, even if it is refused; only with outlines=true, for imports within the request, and up to 500,000 corners in all."`
	Overlaps    []Overlap           `json:"overlaps" doc:"Fields whose boundaries overlap this one, up to 10; only for imports within the request."`
	Warnings    []Warning           `json:"warnings" doc:"What may be wrong with the outline; it is not a reason for refusal."`
	Cultivation *SownCrop           `json:"cultivation" doc:"What grows there in the season of the file; null where the file does not say, or no season is named."`
	Applied     []AppliedInput      `json:"fertilizations" doc:"What the file says was applied to the field; empty where the request does not take products. Only for imports within the request."`
	Errors      map[string][]string `json:"errors" doc:"By field, as those of a create; why the feature is refused or skipped."`
}

// SownCrop is a crop that a file states for a field.
type SownCrop struct {
	ID       *int64 `json:"id" doc:"The cultivation; null for a preview that would create one."`
	CropID   int64  `json:"crop_id" doc:"Id of the crop."`
	Crop     string `json:"crop" doc:"Name of the crop in the catalog."`
	SeasonID int64  `json:"season_id" doc:"Id of the season."`
	Made     bool   `json:"made" doc:"Whether the import creates it; false where it already exists."`
}

// AppliedInput is an application to a field that a file states.
type AppliedInput struct {
	ID        *int64       `json:"id" doc:"The fertilization; null where there is none, and for a preview that would create one."`
	Product   string       `json:"product" doc:"What the file calls the product."`
	AppliedOn *member.Date `json:"applied_on" doc:"Day of the application; null where the file does not say."`
	Verdict   string       `json:"verdict" enum:"create,update,skip" doc:"create or update: a fertilization is made or changed. skip: it already exists unchanged, or reason says why it is not taken."`
	Reason    *string      `json:"reason" doc:"Why it is not taken."`
}

// LeftOut are records of a file that an import does not use.
type LeftOut struct {
	Kind    string   `json:"kind" enum:"application,crop,device,farm,guidance,point,product,task,way,worker" doc:"What they are. farm: a farm whose fields go to the farm of the request; application: a task that applied a product to a field; task: another task; product: one that no task applied; point: a flag in a field of task data; way: a line in a field; guidance: a group of guidance lines."`
	Count   int64    `json:"count" doc:"How many there are; for crops and farms, features that name one."`
	Samples []string `json:"samples" doc:"Up to three of their names, of up to 60 characters."`
	Reason  string   `json:"reason" doc:"Why they are left out, and what can be done."`
}

// FieldImport is an import with its report.
type FieldImport struct {
	JobID      *int64                `json:"job_id" doc:"For an import in the background; null where all was done within the request."`
	Status     string                `json:"status" enum:"queued,running,completed,failed" doc:"queued or running in the background; completed: every feature was judged; failed: reason says why."`
	Reason     *string               `json:"reason" doc:"Why the import failed as a whole."`
	Preview    bool                  `json:"preview" doc:"Nothing is stored; the counts say what would be."`
	Atomic     bool                  `json:"atomic" doc:"One refused feature refuses all."`
	FarmID     int64                 `json:"farm_id" doc:"Id of the farm of the request, which takes the fields for which the file names no farm."`
	Farms      []ImportedFarm        `json:"farms" doc:"Farms that the import creates, since the file names them and they do not exist; without ids for a preview."`
	Total      int64                 `json:"total" doc:"Features in the file."`
	Done       int64                 `json:"done" doc:"Features judged so far. An atomic import in the background judges all of them, and then once more as it stores them."`
	Created    int64                 `json:"created" doc:"Fields that were made."`
	Updated    int64                 `json:"updated" doc:"Fields that were changed."`
	Skipped    int64                 `json:"skipped" doc:"Features that changed nothing."`
	Failed     int64                 `json:"failed" doc:"Features that were refused."`
	Features   []ImportedFeature     `json:"features" doc:"All of them for an import within the request; those that were refused, at most the first 1000, for one in the background."`
	Mapping    map[string]MappedFrom `json:"mapping" doc:"The sources of the members of fields, by the names of the members."`
	Proposed   map[string]MappedFrom `json:"proposed" doc:"What could also be taken, but is not unless the request says so: farm, where the file names several. In the answer to the upload; otherwise empty."`
	Properties []FileProperty        `json:"properties" doc:"The properties of the file, in the answer to the upload; otherwise empty."`
	LeftOut    []LeftOut             `json:"left_out" doc:"What else is in the file and is not taken, in the answer to the upload; otherwise empty."`
	At         time.Time             `json:"updated_at" doc:"When the report was last written."`
}

func registerImport(a *rest.API, imports *outlines.Imports, r rest.Route) {
	r.Noun = "farm"
	r.Description = "Takes a file of at most 512 MiB, as the body or as the first file of a multipart form, and makes one field per feature in the farm: " +
		"a GeoJSON FeatureCollection, KML, a zipped shapefile, CSV or a workbook (`.xlsx`) with a column of outlines (well-known text or GeoJSON), a GeoPackage with one layer of " +
		"polygons, FlatGeobuf, or the TASKDATA of ISO 11783-10, zipped or its XML alone, from which the fields are taken, into the farms that they name if the mapping says so, and their crops if a season is named; `left_out` says what is not taken. If the file names a reference system, it must be longitude and latitude (WGS84, ETRS89, SIRGAS 2000), a UTM zone or " +
		"Web Mercator.\n\n" +
		"Up to " + strconv.Itoa(outlines.MaxImportedAtOnce) + " features are imported within the request. A larger file is answered with 202 and a `job_id`; " +
		"`field/import/{job_id}/` reports its progress.\n\n" + mappingDescription +
		"A feature that represents an existing field changes that field, which also needs `field.edit`; where nothing differs it is " +
		"skipped, as is a feature without an outline. It represents the field of the company with its `uuid`, which exports write, or else the one of " +
		"the farm that it goes to with its `external_id`. Empty values in the file change nothing. An exported file that is imported again unchanged is skipped as a whole.\n\n" +
		"Good features are stored even if others fail, unless `atomic` is set: then one that fails " +
		"refuses all (400 with the errors by index; in the background, the status `failed` before anything is stored)."
	r.Query = []rest.Param{
		{Name: "farm_id", Type: rest.Integer, Required: true, Description: "The farm that takes the fields, except those that the mapping assigns to the farm that the file names (`map=farm:farm`)."},
		{Name: paramMapping, Type: rest.String, Description: "The sources of the members of fields, as JSON: `{\"irrigated\": {\"property\": \"BEWAESSERT\", " +
			"\"values\": {\"J\": true, \"N\": false}}, \"external_id\": [\"REGION\", \"NUMBER\"]}`, percent-encoded. A form may contain it as a field instead."},
		{Name: paramMap, Type: rest.String, Many: true, Description: "The same, a member at a time: `irrigated:BEWAESSERT`, `external_id:REGION+NUMBER`; `notes:` takes nothing."},
		{Name: paramName, Type: rest.String, Description: "Short for `map=name:…`. Without a name a field is `Field <n>`."},
		{Name: paramExternalID, Type: rest.String, Description: "Short for `map=external_id:…`: the key by which fields are found again."},
		{Name: paramSeason, Type: rest.Integer, Description: "The season in which the crops of the file grow: short for the mapping `{\"season_id\": {\"value\": 3}}`. The property `crop` " +
			"is taken unless `crop` names another one, and becomes cultivations, which needs `cultivation.create`."},
		{Name: "preview", Type: rest.Boolean, Description: "With true: judges every feature, and stores nothing."},
		{Name: "atomic", Type: rest.Boolean, Description: "With true: one bad feature refuses all."},
		{Name: "outlines", Type: rest.Boolean, Description: "With true: the features of the answer include their outlines, for display on a map. A preview then judges up to " +
			strconv.Itoa(outlines.MaxSeenAtOnce) + " features within the request."},
		form.SheetParam,
	}
	r.Message, r.MaxBody = "Fields imported.", form.MaxUpload
	r.Also = map[int]string{http.StatusAccepted: "The file is imported in the background."}
	r.Faults = []int{http.StatusNotFound}
	r.Body = rest.FileBody(map[string]string{
		"application/geo+json": "A FeatureCollection.", "application/json": "A GeoJSON FeatureCollection.",
		"application/vnd.google-earth.kml+xml": "A KML file.", "application/zip": "A zipped shapefile, or zipped task data.",
		"application/xml": "The main file of task data alone.",
		form.XLSXType:     "A workbook, one sheet of which is such a table.",
		"text/csv":        "A table with a column of outlines.", "application/geopackage+sqlite3": "A GeoPackage.", "application/flatgeobuf": "A FlatGeobuf.",
		"application/octet-stream": "Any of them, told apart by the content.",
		"multipart/form-data":      "A form whose first file is any of them.",
	}).Fields(map[string]string{paramMapping: "The sources of the members of fields, as JSON, like the parameter mapping. It must precede the file."})
	rest.Handle(a, r, func(ctx context.Context, c *rest.Call, in importInput) (FieldImport, error) {
		query, err := c.Query()
		if err != nil {
			return FieldImport{}, err
		}
		mapping, err := mappingOf(in, query[paramMap], form.Ignore(c))
		if err != nil {
			return FieldImport{}, err
		}
		form.Previewed(c, in.Preview)
		show := showImport
		if in.Outlines {
			show = drawImport
		}
		options := farm.ImportOptions{FarmID: in.FarmID, Mapping: mapping, Preview: in.Preview, Atomic: in.Atomic}
		report, err := imports.Start(ctx, c.Principal(), options, func() (outlines.ImportFile, error) {
			file, err := form.UploadedFile(c, paramMapping)
			out := outlines.ImportFile{Media: file.Media, Sheet: in.Sheet, Body: file.Content, Seen: in.Outlines, Ignore: form.Ignore(c)}
			if text := file.Texts[paramMapping]; err == nil && text != "" {
				if in.Mapping != "" {
					return out, fault.Field(paramMapping, "It is in both the query and the form. Fix: send it once.")
				}
				said := in
				said.Mapping = text
				out.Mapping, err = mappingOf(said, query[paramMap], form.Ignore(c))
			}
			return out, err
		})
		if err == nil && report.Background() {
			c.SetStatus(http.StatusAccepted)
		}
		return show(report), err
	})
}

// maxCorners is the maximum number of corners of outlines in an answer.
const maxCorners = 500_000

// drawImport returns what showImport does, with the outlines.
func drawImport(r outlines.ImportReport) FieldImport {
	out, corners := showImport(r), 0
	for i, j := range r.Judged {
		for _, ring := range j.Outline.Rings() {
			corners += len(ring)
		}
		if corners > maxCorners {
			break
		}
		if len(j.Outline) > 0 {
			out.Features[i].Outline = new(geometryJSON(j.Outline))
		}
	}
	return out
}

const mappingDescription = "Members of fields are taken from the properties that `mapping` and `map` name: " +
	"`name`, `external_id`, `declared_area_ha`, `soil_type`, `irrigated`, `tenure`, `notes`, `source`, `boundary_category`, `boundary_method`, " +
	"`boundary_observed_on`, `active_from`, `active_to`, `uuid`, which finds the field, and `crop` (its slug, or its name in any language) with " +
	"`season_id`, which together make a cultivation of the field where it has none of this crop in this season. `farm` assigns each feature to the farm of your company " +
	"with this external id, or else with this name, whatever its case; a feature without one goes to the farm of the request, and a name that no farm has creates a farm, in the country of that one, which needs " +
	"`farm.create`: `map=farm:farm`. It is taken only if the request says so. `product` takes what the tasks of task data " +
	"applied to fields as fertilizations, which needs `fertilization.create` and `fertilization.edit`: `map=product:product`, with `values` where the file names products differently from the catalog. In JSON a member is the name of a property; a list, whose values make one text (an " +
	"`external_id` needs all of them); or an object with `property` or `properties`, `separator` (default `-`), `values`, which translates the values in the file and refuses " +
	"the features with other values, and `default`; or with `value` alone, which is the same for every feature. Members that the request does not mention are taken from " +
	"properties of their names, or of the short names that exported shapefiles have. A named property that no feature has is refused (`unknown_name`). With " +
	"`preview=true` the answer says what is taken from where, and which properties the file has.\n\n"

type importInput struct {
	form.TableImport
	FarmID             int64  `query:"farm_id"`
	Mapping            string `query:"mapping"`
	NameProperty       string `query:"name_property"`
	ExternalIDProperty string `query:"external_id_property"`
	SeasonID           int64  `query:"season_id"`
	Outlines           bool   `query:"outlines"`
}

func showImport(r outlines.ImportReport) FieldImport {
	return FieldImport{
		JobID: form.If(r.Background(), r.ID), Status: string(r.Status), Reason: form.OrNull(r.Reason),
		Preview: r.Options.Preview, Atomic: r.Options.Atomic, FarmID: r.Options.FarmID, Total: r.Total, Done: r.Done,
		Created: r.Tally[batch.Create], Updated: r.Tally[batch.Update], Skipped: r.Tally[batch.Skip], Failed: r.Tally[batch.Fail],
		Farms: form.Each(r.Made, showFarm), Proposed: showMapping(r.Proposed()),
		Mapping: showMapping(r.Options.Mapping), Properties: showProperties(r.Survey.Properties, r.Options.Mapping),
		LeftOut: form.Each(r.LeftOut(), showLeftOut), At: r.UpdatedAt, Features: form.Each(r.Judged, showJudged),
	}
}

func showApplied(a farm.Applied) AppliedInput {
	return AppliedInput{form.OrNull(a.FertilizationID), a.Product, form.DateOf(a.On), string(a.Outcome), form.OrNull(a.Reason)}
}

func showLeftOut(l outlines.LeftOut) LeftOut {
	return LeftOut{l.Kind, l.Count, append([]string{}, l.Samples...), l.Reason}
}

func showFarm(r record.Ref) ImportedFarm { return ImportedFarm{form.OrNull(r.ID), r.Name} }

func showSown(s farm.Sown) *SownCrop {
	if s.SeasonID == 0 {
		return nil
	}
	return &SownCrop{form.OrNull(s.CultivationID), s.Crop.ID, s.Crop.Name, s.SeasonID, s.Made}
}

func showJudged(j farm.Judged) ImportedFeature {
	return ImportedFeature{
		Farm:  form.If(j.Farm.Name != "" || j.Farm.ID != 0, showFarm(j.Farm.Ref)),
		Index: j.Index, Row: form.OrNull(j.Line), FieldID: form.OrNull(j.FieldID), Verdict: string(j.Verdict), Name: j.Name, ExternalID: j.ExternalID,
		AreaHa:   form.If(j.AreaM2 > 0, geo.RoundHa(float64(j.AreaM2)/10_000)),
		Overlaps: form.Each(j.Overlaps.Fields, func(o record.Ref) Overlap { return Overlap{form.OrNull(o.ID), o.Name} }),
		Warnings: showWarnings(form.OrZero(j.Field).Boundary, form.OrZero(j.Field).Astray, j.Overlaps), Cultivation: showSown(j.Sown), Applied: form.Each(j.Applied, showApplied), Errors: j.Errors.Messages(),
	}
}

func registerImports(a *rest.API, imports *outlines.Imports) {
	route := rest.Routes{Base: "field/import/", Operation: "field", Tag: farmTag, Keys: rest.KeyInQuery}.Route
	registerImport(a, imports, route(http.MethodPost, "", access.Fields.Create.For("import"), "Import fields from a file"))
	status := route(http.MethodGet, "{job_id}/", access.Fields.View.For("import_status"), "Retrieve the progress of an import")
	status.Noun = "import"
	status.Description = "The counts cover all features; `features` lists those that were refused, at most the first " + strconv.Itoa(outlines.MaxKeptFailures) + "."
	rest.Handle(a, status, func(ctx context.Context, c *rest.Call, in struct {
		JobID int64 `path:"job_id"`
	}) (FieldImport, error) {
		report, err := imports.Retrieve(ctx, c.Principal(), in.JobID)
		return showImport(report), err
	})
}

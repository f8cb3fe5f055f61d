package soil

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/stratification/labtable"
)

// ImportedSample is a row of a file with what the import does with it.
type ImportedSample struct {
	Index    int64            `json:"index" doc:"Place in the file, from 0, without the header."`
	Row      *int64           `json:"row" doc:"Number of the row as a spreadsheet shows it, or of the line of CSV, the heading being the first; null where there is no table."`
	Label    string           `json:"label" doc:"The label on the bag, as in the file."`
	Verdict  string           `json:"verdict" enum:"update,skip,fail" doc:"update: the sample takes the result. skip: the row contains nothing new. fail: it is refused, for the reasons in errors."`
	SampleID *int64           `json:"sample_id" doc:"Id of the sample; null where none is found."`
	Status   *string          `json:"status" doc:"State of the sample after the import."`
	Errors   member.RawObject `json:"errors" doc:"By field; why the row is refused."`
	Notes    []string         `json:"notes" doc:"What a rule changed in the row: half of a limit, the day of the round, the mean of repeats."`
}

// ImportedColumn is a column of a file as the import reads it.
type ImportedColumn struct {
	Header string  `json:"header" doc:"Heading of the column in the file."`
	Column *string `json:"column" doc:"The column of samples that it fills; null: it is ignored."`
	Unit   *string `json:"unit" doc:"Unit of the file's values; null where they have none."`
	Factor float64 `json:"factor" doc:"Factor from the file's values to the unit of column."`
}

// SampleImport is an import of samples with its report.
type SampleImport struct {
	Code    string           `json:"code" enum:"imported,rows_failed" doc:"imported: every row with something new was stored. rows_failed: some rows were refused."`
	Preview bool             `json:"preview" doc:"Nothing is stored."`
	Atomic  bool             `json:"atomic" doc:"One refused row refuses all."`
	Updated int64            `json:"updated" doc:"Samples that take a result."`
	Skipped int64            `json:"skipped" doc:"Rows that contain nothing new."`
	Failed  int64            `json:"failed" doc:"Rows that are refused."`
	Columns []ImportedColumn `json:"columns" doc:"The columns of a table; empty for a package."`
	Rows    []ImportedSample `json:"rows" doc:"The outcome of each row, in the order of the file."`
}

type sampleImportInput struct {
	form.TableImport
	Repeats     string   `query:"repeats"`
	SOCLimitPct *float64 `query:"soc_limit_pct"`
}

const repeatsMean = "mean"

func registerSampleImport(a *rest.API, s *soil.SampleFiles) {
	take := sampleRoute(http.MethodPost, samplesPath+"import/", access.ImportSamples.For("import"), "Import results of samples")
	take.Description = "Takes a laboratory's table: CSV with a header (columns separated by commas, semicolons or tabs), a workbook (`.xlsx`), or a JSON array of objects, of at most " + strconv.Itoa(soil.MaxSampleRows) +
		" rows. `label` finds the sample; an empty cell changes nothing. The columns are " + form.CodeList(labtable.Names) + ", and the names and units that laboratories use for them, such as `SOC [g/kg]`: " +
		"values are converted, and `columns` says how. Other columns of an export are ignored; any other columns are refused (`unknown_name`), or ignored with `Prefer: handling=lenient`. Decimals follow a point, or a comma where no comma separates the columns. Results below a limit (`<0.5`, `<LOD`) count as half of it. " +
		"A row without a date takes the day of its round. Good rows are stored even if others fail (207), unless `atomic` is set; if none is good, the answer is 400 (`bulk_validation_failed`)."
	take.Query = []rest.Param{
		{Name: "preview", Type: rest.Boolean, Description: "With true: judges every row, and stores nothing."},
		{Name: "atomic", Type: rest.Boolean, Description: "With true: one bad row refuses all."},
		{Name: "repeats", Type: rest.String, Enum: []string{"refuse", repeatsMean}, Description: "Rows with one label and different values: they are refused, which is the default, or their mean is taken."},
		{Name: "soc_limit_pct", Type: rest.Number, Description: "The laboratory's limit of determination of carbon in %, where the table does not state it."},
	}
	take.Query = append(take.Query, form.SheetParam)
	take.Message, take.Also = "Samples imported.", map[int]string{http.StatusMultiStatus: "Some rows failed; the others are stored."}
	take.Body = rest.FileBody(map[string]string{
		"text/csv": "Rows under a header.", form.XLSXType: "A workbook, one sheet of which has such rows.", "application/json": "An array of objects.", "multipart/form-data": "A form whose first file is any of them.",
	})
	rest.Handle(a, take, func(ctx context.Context, c *rest.Call, in sampleImportInput) (SampleImport, error) {
		options := soil.SampleImportOptions{Preview: in.Preview, Atomic: in.Atomic, Sheet: in.Sheet, Mean: in.Repeats == repeatsMean, SOCLimitPct: in.SOCLimitPct, Ignore: form.Ignore(c)}
		imported, err := s.Import(ctx, c.Principal(), options, form.Upload(c))
		return answerImport(c, imported, options, err)
	})
}

func registerCrewImport(a *rest.API, s *soil.SampleFiles) {
	take := sampleRoute(http.MethodPost, samplesPath+"import/crew/", access.ImportSamples.For("import_crew"), "Import what a crew recorded")
	take.Description = "Takes a package that was exported with `format=qfield` back from the crew: its folder, zipped, or only its GeoPackage, without photos. The `label` of each sample " +
		"finds it. A status of the point applies to all of its samples that have none of their own: taken here, taken elsewhere, missed. A point that was moved on the map was taken there; otherwise " +
		"the place that the receiver measured counts, and without that the planned place. Times without a zone are read as UTC, and a note says so. Photos are attached to the uppermost sample of their point; a row whose photo is missing or " +
		"not a photo fails. Empty values change nothing, so a package may be sent again. Good rows are stored even if others fail (207), unless `atomic` is set; if none is good, the answer is 400 (`bulk_validation_failed`)."
	take.Query = []rest.Param{
		{Name: "preview", Type: rest.Boolean, Description: "With true: judges every row, and stores nothing."},
		{Name: "atomic", Type: rest.Boolean, Description: "With true: one bad row refuses all."},
	}
	take.Message, take.Also, take.MaxBody = "Samples imported.", map[int]string{http.StatusMultiStatus: "Some rows failed; the others are stored."}, form.MaxUpload
	take.Body = rest.FileBody(map[string]string{
		"application/zip": "The zipped folder of a package.", "application/geopackage+sqlite3": "Its GeoPackage alone.",
		"application/octet-stream": "Either, told apart by the content.", "multipart/form-data": "A form whose first file is either.",
	})
	rest.Handle(a, take, func(ctx context.Context, c *rest.Call, in form.Import) (SampleImport, error) {
		options := soil.SampleImportOptions{Preview: in.Preview, Atomic: in.Atomic}
		imported, err := s.ImportCrew(ctx, c.Principal(), options, form.Upload(c))
		return answerImport(c, imported, options, err)
	})
}

// answerImport shows an import; if rows failed, the answer is not a plain success.
func answerImport(c *rest.Call, imported soil.ImportedSamples, options soil.SampleImportOptions, err error) (SampleImport, error) {
	if err != nil {
		return SampleImport{}, err
	}
	form.Previewed(c, options.Preview)
	out, err := showSampleImport(imported, options)
	if out.Failed > 0 && !options.Preview {
		c.SetStatus(http.StatusMultiStatus)
	}
	return out, err
}

func showSampleImport(imported soil.ImportedSamples, options soil.SampleImportOptions) (SampleImport, error) {
	out := SampleImport{Code: "imported", Preview: options.Preview, Atomic: options.Atomic, Rows: make([]ImportedSample, len(imported.Rows))}
	out.Columns = form.Each(imported.Columns, func(c labtable.Column) ImportedColumn {
		return ImportedColumn{c.Header, form.OrNull(c.Name), form.OrNull(c.Unit.Shown), c.Unit.Factor()}
	})
	for i, j := range imported.Rows {
		errs, err := json.Marshal(maps.Collect(maps.All(j.Errors))) // an object, even if it is empty
		if err != nil {
			return out, err
		}
		out.Rows[i] = ImportedSample{j.Index, form.OrNull(j.Line), j.Label, j.Verdict, form.OrNull(j.SampleID), form.OrNull(string(j.Status)), errs, append([]string{}, j.Remarks...)}
		switch j.Verdict {
		case soil.SampleUpdate:
			out.Updated++
		case soil.SampleSkip:
			out.Skipped++
		default:
			out.Code = "rows_failed"
			out.Failed++
		}
	}
	return out, nil
}

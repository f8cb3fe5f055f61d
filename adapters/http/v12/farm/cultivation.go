package farm

import (
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
)

// CultivationWrite is the writable form of a cultivation.
type CultivationWrite struct {
	form.OfCompany
	SeasonID int64 `json:"season_id" minimum:"1" doc:"Id of the season it grows in, of your company."`
	CropID   int64 `json:"crop_id" minimum:"1" doc:"Id of the crop, of the shared catalog."`
	FieldID  int64 `json:"field_id" minimum:"1" doc:"Id of the field it grows on, of your company."`
}

// Cultivation is a cultivation in answers.
type Cultivation struct {
	form.Meta
	CultivationWrite
	Season form.Ref `json:"season" doc:"The season it grows in."`
	Crop   form.Ref `json:"crop" doc:"The crop, with its English name."`
	Field  form.Ref `json:"field" doc:"The field it grows on."`
}

// agronomic are the attributes of a cultivation that cannot be read or written through this interface (specification,
// section 2.2).
var agronomic = []string{
	"quality", "variety", "sowing_date", "soil_measurements", "fertilizer_allowances", "strobilurin", "harvest_date", "yield", "protein_content",
	"water_status", "n_min",
}

func registerCultivations(a *rest.API, records *farmapp.Records[farm.Cultivation]) {
	write := func(r farm.Cultivation) CultivationWrite {
		return CultivationWrite{form.CompanyOf(r.Meta), r.Season.ID, r.Crop.ID, r.Field.ID}
	}
	registerRecords(a, records, rest.Resource[CultivationWrite, Cultivation]{
		Plural: "cultivations", OnConflict: "natural", Same: "a cultivation of the same crop on the same field in the same season",
		Shareable: true, Inapplicable: agronomic, Faults: []int{http.StatusBadRequest},
		Description: "A cultivation ties one crop to one field within one season.\n\n" +
			"The only remaining cultivation of a field cannot be deleted (400, `last_cultivation`).",
		Filters: append([]rest.Param{
			{Name: "farm", Type: rest.Integer, Description: "Id of the farm of the field."},
			{Name: "crop", Type: rest.Integer, Description: "Id of the crop."},
			{Name: "field", Type: rest.Integer, Description: "Id of the field."},
			{Name: "season", Type: rest.Integer, Description: "Id of the season."},
		}, form.ListParams("A part of the name of the field, the season or the crop, whatever its case.")...),
	}, form.Mapping[farm.Cultivation, CultivationWrite, Cultivation]{
		Apply: func(_ *effort.Budget, b CultivationWrite, r *farm.Cultivation) fault.Fields {
			b.Apply(&r.Meta)
			r.Season, r.Crop, r.Field = record.Ref{ID: b.SeasonID}, record.Ref{ID: b.CropID}, record.Ref{ID: b.FieldID}
			return nil
		},
		Write: write,
		Show: func(r farm.Cultivation) Cultivation {
			return Cultivation{form.MetaOf(r.Meta), write(r), form.RefOf(r.Season), form.RefOf(r.Crop), form.RefOf(r.Field)}
		},
	})
}

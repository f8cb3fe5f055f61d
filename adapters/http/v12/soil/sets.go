package soil

import (
	"context"
	"net/http"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
)

// SampleRecordWrite is a sample at a point of a plan, with what is known about it.
type SampleRecordWrite struct {
	Plan      *string  `json:"plan" required:"false" format:"uuid" doc:"map_uuid of a saved plan. A sample that does not exist yet needs it, with point, depth_from_cm and depth_to_cm; an existing one keeps its own."`
	Round     *int64   `json:"round" required:"false" minimum:"1" maximum:"100" doc:"Round of sampling; default 1."`
	Point     *string  `json:"point" required:"false" doc:"Id of the point in its plan, as Z2-07."`
	DepthFrom *float64 `json:"depth_from_cm" required:"false" minimum:"0" maximum:"300" doc:"Upper end of the depth interval, cm below the surface."`
	DepthTo   *float64 `json:"depth_to_cm" required:"false" minimum:"0" maximum:"300" doc:"Lower end of the depth interval, more than depth_from_cm."`
	SampleWrite
}

// sampleMapping converts between the wire form of a sample at a point and its record.
var sampleMapping = form.Mapping[sample.Sample, SampleRecordWrite, Sample]{
	Apply: func(_ *effort.Budget, in SampleRecordWrite, onto *sample.Sample) fault.Fields {
		applySample(in.SampleWrite, onto)
		of, round, point := strings.ToLower(form.OrZero(in.Plan)), form.Or(in.Round, 1), form.OrZero(in.Point)
		depth := sample.DepthOf(form.OrZero(in.DepthFrom), form.OrZero(in.DepthTo))
		if onto.ID == 0 {
			onto.PlanUUID, onto.Round, onto.Point, onto.Depth = of, round, point, depth
			return nil
		}
		f := fault.Fields{}
		const stays = "The existing sample has another: a sample stays where it is."
		f.AddIf(of != onto.PlanUUID, "plan", stays)
		f.AddIf(round != onto.Round, "round", stays)
		f.AddIf(point != onto.Point, "point", stays)
		f.AddIf(depth != onto.Depth, "depth_to_cm", stays)
		return f
	},
	Write: func(s sample.Sample) SampleRecordWrite {
		from, to := s.Depth.FromCm(), s.Depth.ToCm()
		return SampleRecordWrite{&s.PlanUUID, &s.Round, &s.Point, &from, &to, writeOfSample(s)}
	},
	Show: showSample,
}

// changedSamples converts changes of samples that are named by their ids, many in the same way as one.
var changedSamples = form.Mapping[sample.Sample, SampleWrite, Sample]{
	Apply: func(_ *effort.Budget, in SampleWrite, onto *sample.Sample) fault.Fields {
		applySample(in, onto)
		return nil
	},
	Write: writeOfSample, Show: showSample,
}

// registerSampleSets adds the routes that change, delete and restore samples.
func registerSampleSets(a *rest.API, s *soil.Samples) {
	rest.UpdateMany(a, sampleRoute(http.MethodPatch, samplesPath, access.Samples.Edit.For("partial_update_many"), "Change samples"), "samples",
		func(ctx context.Context, c *rest.Call, changes []rest.Changes[SampleWrite]) ([]Sample, []string, error) {
			ids, wanted := changedSamples.Changes(ctx, c, changes)
			return changedSamples.Written(s.UpdateMany(ctx, c.Principal(), ids, wanted))
		})
	remove := sampleRoute(http.MethodDelete, samplesPath+"{id}/", access.Samples.Delete.For("destroy"), "Delete a sample")
	remove.Description = "For samples that were made by mistake, such as those of a wrong depth: the plan's samples can be made again. A sample that could not be taken is `missed`, not deleted. Its photos are hidden with it."
	remove.Status, remove.Faults = http.StatusNoContent, []int{http.StatusPreconditionFailed}
	rest.Handle(a, remove, func(ctx context.Context, c *rest.Call, in form.ByID) (rest.NoContent, error) {
		return rest.NoContent{}, s.Records.Delete(ctx, c.Principal(), in.ID, func(current sample.Sample) error { return form.CheckIfMatch(c, current, showSample) })
	})
	rest.DeleteMany(a, sampleRoute(http.MethodDelete, samplesPath, access.Samples.Delete.For("destroy_many"), "Delete samples"), "samples",
		func(ctx context.Context, c *rest.Call, ids []int64) error {
			return s.Records.DeleteMany(ctx, c.Principal(), ids)
		})
	rest.ListDeleted(a, sampleRoute(http.MethodGet, samplesPath+"deleted/", access.Samples.Delete.For("list_deleted"), "List deleted samples"),
		func(ctx context.Context, c *rest.Call, q rest.ListQuery) (rest.Listing[Sample], error) {
			found, err := s.Records.Deleted(ctx, c.Principal(), form.DeletedQuery(q))
			return rest.Map(form.Listing(found), showSample), err
		}, farmOfAOI)
	restore := sampleRoute(http.MethodPost, samplesPath+"{id}/restore/", access.Samples.Delete.For("restore"), "Restore a deleted sample")
	restore.Message, restore.Faults = "Sample restored.", []int{http.StatusConflict}
	rest.Handle(a, restore, form.OnRecord(s.Records.Restore, showSample))
}

type onConflict struct {
	OnConflict string `query:"on_conflict"`
}

func registerSampleRecords(a *rest.API, s *soil.Samples) {
	create := sampleRoute(http.MethodPost, samplesPath+"records/", access.Samples.Create.For("create"), "Create one sample or many, with their data")
	create.Description = "Takes an object, or an array of objects: all are stored, or none. Each is a sample at a point of a saved plan, with the data of the crew and the laboratory from another system. " +
		"With `on_conflict=external_id` an existing sample is changed; an existing sample without an external id, such as `POST samples/` makes, takes that of the item with its plan, round, point and depth."
	create.Message, create.Body, create.Faults = "Sample created.", rest.BulkBody[SampleRecordWrite](), []int{http.StatusConflict}
	create.Query = []rest.Param{rest.OnConflictParam(form.ExternalID, "a live sample of your company with the same `external_id`, or without any at the same place,")}
	rest.Handle(a, create, func(ctx context.Context, c *rest.Call, in onConflict) (out rest.OneOrMany[Sample], err error) {
		items, bulk, err := rest.DecodeMany[SampleRecordWrite](c)
		if err != nil {
			return out, err
		}
		wanted, err := sampleMapping.Wanted(ctx, c, items)
		if err != nil {
			return out, err
		}
		out.Bulk = bulk
		if in.OnConflict != "" {
			out.Records, out.Outcomes, err = sampleMapping.Written(s.Upsert(ctx, c.Principal(), wanted, bulk))
			return out, err
		}
		made, err := s.CreateMany(ctx, c.Principal(), wanted, bulk)
		out.Records = form.Each(made, showSample)
		return out, err
	})
}

// PlanSaveMany is a plan that is saved together with others.
type PlanSaveMany struct {
	MapUUID *string `json:"map_uuid" required:"false" format:"uuid" doc:"Uuid of the plan. With on_conflict=external_id it may be left out if a saved plan has the external id."`
	PlanSave
}

func registerPlanSaves(a *rest.API, plans *soil.Plans) {
	save := planRoute(http.MethodPost, plansPath+"save/", access.SamplePlans.Create.For("save_many"), "Save one sample plan or many")
	save.Description = "Takes an object, or an array of objects: all are saved, or none, with their maps of zones. With `on_conflict=external_id` a saved plan that has the external id stays as it is, " +
		"except for its `source`: saved plans do not change, and no two have the same external id."
	save.Message, save.Body, save.Faults = "Sample plan saved.", rest.BulkBody[PlanSaveMany](), []int{http.StatusConflict}
	save.Query = []rest.Param{rest.OnConflictParam(form.ExternalID, "a saved plan of your company with the same `external_id`")}
	rest.Handle(a, save, func(ctx context.Context, c *rest.Call, in onConflict) (out rest.OneOrMany[SavedPlan], err error) {
		items, bulk, err := rest.DecodeMany[PlanSaveMany](c)
		if err != nil {
			return out, err
		}
		wanted := form.Each(items, func(item rest.Item[PlanSaveMany]) soil.PlanSaving {
			v := item.Value
			return soil.PlanSaving{UUID: strings.ToLower(form.OrZero(v.MapUUID)), As: saveAs(v.Name, v.PlanTag, v.External), Errors: item.Errors}
		})
		saved, err := plans.SaveMany(ctx, c.Principal(), wanted, in.OnConflict != "", bulk)
		out.Bulk, out.Records = bulk, form.Each(saved.Records, func(p plan.SamplePlan) SavedPlan { return showSavedPlan(p, false) })
		if in.OnConflict != "" {
			out.Outcomes = form.Strings(saved.Outcomes)
		}
		return out, err
	})
}

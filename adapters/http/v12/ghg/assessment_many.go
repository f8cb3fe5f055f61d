package ghg

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
)

// registerSets adds the routes that create by a key of another system, and that change, delete and list many.
func (r assessmentRoutes) registerSets() {
	create := assessmentRoute(http.MethodPost, "", access.Assessments.Create.For("create"), "Create an assessment")
	create.Description, create.Status, create.Message, create.DataWith = nestedNote, http.StatusCreated, "Assessment created.", schemaSections
	create.Body = rest.Body[AssessmentWrite]().With(schemaSections)
	create.Query, create.Faults = []rest.Param{rest.OnConflictParam(form.ExternalID, form.SameExternal)}, []int{http.StatusConflict}
	rest.Handle(r.api, create, func(ctx context.Context, c *rest.Call, in struct {
		OnConflict string `query:"on_conflict"`
	},
	) (out rest.Written[Assessment], err error) {
		item, err := rest.DecodeDraft(c, AssessmentWrite{})
		if err != nil {
			return out, err
		}
		draft, err := r.draftFrom(c, item)
		if err != nil {
			return out, err
		}
		if in.OnConflict == "" {
			whole, err := r.use.Create(ctx, c.Principal(), draft)
			out.Record = r.show(whole)
			return out, err
		}
		whole, outcome, err := r.use.Upsert(ctx, c.Principal(), draft, r.over(c, item))
		out.Record, out.Outcomes = r.show(whole), []string{string(outcome)}
		return out, err
	})
	change := assessmentRoute(http.MethodPatch, "", access.Assessments.Edit.For("partial_update_many"), "Change assessments")
	change.Body, change.DataWith = rest.EachBody[AssessmentWrite]().With(schemaSections), schemaSections
	rest.UpdateMany(r.api, change, "assessments", func(ctx context.Context, c *rest.Call, changes []rest.Changes[AssessmentWrite]) ([]Assessment, []string, error) {
		ids, wanted := make([]int64, len(changes)), make([]ghgapp.Over, len(changes))
		for i, one := range changes {
			ids[i], wanted[i] = one.ID, r.over(c, one.Item)
			if len(one.Errors) > 0 {
				ids[i], wanted[i] = 0, func(ghgapp.Whole) (ghgapp.AssessmentDraft, error) {
					return ghgapp.AssessmentDraft{Errors: one.Errors}, nil
				}
			}
		}
		written, err := r.use.UpdateMany(ctx, c.Principal(), ids, wanted)
		return form.Each(written.Records, r.show), form.Strings(written.Outcomes), err
	})
	rest.DeleteMany(r.api, assessmentRoute(http.MethodDelete, "", access.Assessments.Delete.For("destroy_many"), "Delete assessments"), "assessments",
		func(ctx context.Context, c *rest.Call, ids []int64) error {
			return r.use.Delete(ctx, c.Principal(), ids, func(ghgapp.Whole) error { return nil })
		})
	rest.ListDeleted(r.api, assessmentRoute(http.MethodGet, "deleted/", access.Assessments.Delete.For("list_deleted"), "List deleted assessments"),
		func(ctx context.Context, c *rest.Call, q rest.ListQuery) (rest.Listing[AssessmentRecord], error) {
			found, err := r.use.Deleted(ctx, c.Principal(), form.QueryOf(q.Page, rest.DeletedParams(), q.Values))
			return rest.Map(form.Listing(found), showAssessmentRecord), err
		})
}

// over returns an item as changes of the assessment that it stands for: objects of sections are merged, as by PATCH.
func (r assessmentRoutes) over(c *rest.Call, item rest.Item[AssessmentWrite]) ghgapp.Over {
	return func(current ghgapp.Whole) (ghgapp.AssessmentDraft, error) {
		changed, err := rest.Over(c, item, writeAssessment(current.Assessment))
		if err != nil {
			return ghgapp.AssessmentDraft{}, err
		}
		draft, err := r.draftFrom(c, changed)
		draft.Partial = true
		return draft, err
	}
}

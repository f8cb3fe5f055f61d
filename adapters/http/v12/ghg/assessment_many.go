package ghg

import (
	"context"
	"net/http"
	"slices"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/fault"
)

// registerSets adds the routes that create by a key of another system, and those that change, delete and list many.
func (r assessmentRoutes) registerSets() {
	create := assessmentRoute(http.MethodPost, "", access.Assessments.Create.For("create"), "Create an assessment or many")
	create.Description, create.Status, create.Message, create.DataWith = nestedNote, http.StatusCreated, "Assessment created.", schemaSections
	create.Body = rest.BulkBody[AssessmentWrite]().With(schemaSections)
	create.Also = map[int]string{http.StatusOK: "Nothing was created: with `on_conflict`, every assessment already existed."}
	create.Query, create.Faults = []rest.Param{rest.OnConflictParam(form.ExternalID, form.SameExternal)}, []int{http.StatusConflict}
	rest.Handle(r.api, create, func(ctx context.Context, c *rest.Call, in struct {
		OnConflict string `query:"on_conflict"`
	},
	) (out rest.OneOrMany[Assessment], err error) {
		items, bulk, err := rest.DecodeMany[AssessmentWrite](c)
		if err != nil {
			return out, err
		}
		if out.Bulk = bulk; in.OnConflict != "" {
			out.Records, out.Outcomes, err = r.upsert(ctx, c, items, bulk)
			if err == nil && !slices.Contains(out.Outcomes, string(farmapp.Created)) {
				c.SetStatus(http.StatusOK)
			}
			return out, err
		}
		drafts := make([]ghgapp.AssessmentDraft, len(items))
		for i, item := range items {
			if drafts[i], err = r.drafted(c, item, bulk); err != nil {
				return out, err
			}
		}
		if bulk {
			stored, err := r.use.CreateMany(ctx, c.Principal(), drafts)
			out.Records = form.Each(stored, r.show)
			return out, err
		}
		whole, err := r.use.Create(ctx, c.Principal(), drafts[0])
		out.Records = []Assessment{r.show(whole)}
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
			found, err := r.use.Deleted(ctx, c.Principal(), form.DeletedQuery(q))
			return rest.Map(form.Listing(found), showAssessmentRecord), err
		}, farmOfAssessment)
}

// drafted returns an item as a new assessment. The use case reports errors in an item of many with its index.
func (r assessmentRoutes) drafted(c *rest.Call, item rest.Item[AssessmentWrite], bulk bool) (ghgapp.AssessmentDraft, error) {
	draft, err := r.draftFrom(c, item)
	if wrong, isFault := fault.As(err); isFault && bulk && wrong.Kind == fault.Invalid {
		draft.Errors, draft.Unread, err = wrong.Fields, true, nil
	}
	return draft, err
}

// upsert creates assessments, or changes those with the same external ids.
func (r assessmentRoutes) upsert(ctx context.Context, c *rest.Call, items []rest.Item[AssessmentWrite], bulk bool) ([]Assessment, []string, error) {
	wanted := make([]ghgapp.WantedAssessment, len(items))
	for i, item := range items {
		draft, err := r.drafted(c, item, bulk)
		if err != nil {
			return nil, nil, err
		}
		wanted[i] = ghgapp.WantedAssessment{New: draft, Over: r.over(c, item)}
	}
	written, err := r.use.Upsert(ctx, c.Principal(), wanted, bulk)
	return form.Each(written.Records, r.show), form.Strings(written.Outcomes), err
}

// over returns an item as changes of the assessment that it refers to: objects of sections are merged, as by PATCH.
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

package ghg

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
)

// schemaItemChanges is the schema of changes of many items.
const schemaItemChanges = "AssessmentSectionItemChanges"

// registerItemSets adds the routes that change and remove many items of a section.
func (r assessmentRoutes) registerItemSets() {
	const path = "{id}/sections/{section}/items/"
	r.api.DefineSchema(schemaItemChanges, map[string]any{
		"type": "array", "minItems": 1, "maxItems": assessment.MaxItems,
		"items": map[string]any{
			"type": "object", "required": []string{"id"}, "additionalProperties": true,
			"properties":  map[string]any{"id": map[string]any{"type": "integer", "format": "int64", "minimum": 1, "description": "Id of the item to change."}},
			"description": "Some members of an item of the section; null removes one.",
		},
		"description": "Changes of items of a list.",
	})
	change := assessmentRoute(http.MethodPatch, path, access.Assessments.Edit.For("partial_update_items"), "Change items of a section")
	change.Description = "Takes an array of objects, each with the `id` of an item and the members that change: all are changed, or none. " +
		"Where one of the items does not exist, the answer is 404 with its id in `details.ids`. The answer is the whole section. Lists: " + r.sectionKeys(assessment.List) + "."
	change.Message, change.Data, change.Faults = "Items updated.", schemaSection, []int{http.StatusPreconditionFailed}
	change.Body = rest.GivenBody(schemaItemChanges)
	rest.Handle(r.api, change, func(ctx context.Context, c *rest.Call, in sectionPath) (part, error) {
		whole, err := r.use.WriteItems(ctx, c.Principal(), in.ID, in.Section, r.sent(c, in.Section))
		return r.section(in.Section, whole, err)
	})
	destroy := assessmentRoute(http.MethodDelete, path, access.Assessments.Edit.For("destroy_items"), "Remove items of a section")
	destroy.Description = "Removes the named items, all or none: where one does not exist, the answer is 404 with its id in `details.ids`."
	destroy.Status, destroy.Message, destroy.Faults = http.StatusNoContent, "Items removed.", []int{http.StatusPreconditionFailed}
	destroy.Query = []rest.Param{{Name: "id", Type: rest.IDs, Required: true, Description: "Ids of the items, separated by commas."}}
	rest.Handle(r.api, destroy, func(ctx context.Context, c *rest.Call, in struct {
		sectionPath
		IDs []int64 `query:"id"`
	},
	) (rest.NoContent, error) {
		return rest.NoContent{}, r.use.RemoveItems(ctx, c.Principal(), ghgapp.ItemsOf{Assessment: in.ID, Section: in.Section, IDs: in.IDs}, r.agreed(c))
	})
}

package ghg

import (
	"context"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// citing checks the texts of an edit against the files that they cite.
type citing struct {
	attached func() ([]evidence.File, error) // files attached to the assessment; nil: nothing is checked
	failed   error                           // of attached
}

// cited returns what is wrong with the rows of a section whose texts cite files that are not attached.
func (c *citing) cited(section assessment.Section, rows []assessment.Row) fault.Fields {
	cites := evidence.Cites(section, rows)
	if len(cites) == 0 || c.attached == nil {
		return nil
	}
	files, err := c.attached()
	if err != nil {
		c.failed = err
		return nil
	}
	return evidence.Wrong(evidence.Unknown(cites, files))
}

// ChangeEvidence changes the attachments of an assessment, under its lock, in one transaction with its entry in the audit trail.
// do returns the changes it makes; if there are none, the assessment stays as it is. Faults: NotFound, and those of do.
func (a *Assessments) ChangeEvidence(ctx context.Context, who access.Principal, id int64,
	do func(ctx context.Context, tx ports.Repos, whole Whole) ([]audit.Change, error),
) error {
	scope := who.Scope(false)
	return app.Do(ctx, a.Deps, who, access.Assessments.Edit, func(ctx context.Context, tx ports.Repos) error {
		whole, err := lockWhole(ctx, tx, scope, id)
		if err != nil {
			return err
		}
		changes, err := do(ctx, tx, whole)
		if err != nil || len(changes) == 0 {
			return err
		}
		whole.UpdatedAt = whole.NextVersion(a.Clock.Now())
		if whole.Status == assessment.Submitted {
			if whole.HasUnsubmittedChanges, err = a.unsubmitted(ctx, tx, scope, whole); err != nil {
				return err
			}
		}
		if err := tx.Assessments.Update(ctx, scope, &whole.Assessment); err != nil {
			return err
		}
		if err := tx.Audit.Add(ctx, audit.By(who, whole.UpdatedAt).Of(audit.Update, access.Assessments.Name, id, changes)); err != nil {
			return err
		}
		a.startCompletion(ctx, tx, whole.Assessment)
		return nil
	})
}

// listedFiles returns a list with the names of the users who uploaded its files.
func listedFiles(list evidence.List, files []evidence.File) []ports.ListedFile {
	out := make([]ports.ListedFile, len(list))
	for i, frozen := range list {
		out[i] = ports.ListedFile{Frozen: frozen, By: access.Named{ID: frozen.UploadedBy}}
		if at := slices.IndexFunc(files, func(f evidence.File) bool { return f.ID == frozen.ID }); at >= 0 {
			out[i].By.Name = files[at].By.Name
		}
	}
	return out
}

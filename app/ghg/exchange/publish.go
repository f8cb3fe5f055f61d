package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/core/ghg"
	"tilth/ports"
)

// publishAction is the action of publishing in the audit trail.
const publishAction audit.Action = "publish"

// Publishing holds the use cases of what a company publishes.
type Publishing struct{ app.Deps }

// Outcome is the result of a publication.
type Outcome struct {
	footprint.Publication
	// Unchanged: the version is already published with the same terms; nothing was stored.
	Unchanged bool
}

// VersionOf names a version of an assessment.
type VersionOf struct {
	Assessment int64
	Number     int
}

// Publish shows the footprint of a version to the clients of the company. terms is called once the version is found. The
// active footprint of the assessment, if any, is deprecated: the new one names it. source is the address of our own events,
// which the events about the change name. Faults: NotFound (also the version), Invalid (footprint.CodeNoFootprint, or what
// terms lack), and those of terms.
func (p *Publishing) Publish(ctx context.Context, who access.Principal, of VersionOf, source string, terms func() (footprint.Terms, error)) (Outcome, error) {
	if err := p.Gate.Require(ctx, who, access.Footprints.Publish); err != nil {
		return Outcome{}, err
	}
	company, err := p.company(ctx, who.CompanyID)
	if err != nil {
		return Outcome{}, err
	}
	scope, now := who.Scope(false), p.Clock.Now().Truncate(time.Microsecond) // the resolution of both databases
	return app.In(ctx, p.Store.Write, func(ctx context.Context, tx ports.Repos) (out Outcome, err error) {
		if _, err := tx.Assessments.GetForUpdate(ctx, scope, of.Assessment); err != nil {
			return out, err
		}
		version, err := tx.AssessmentVersions.Get(ctx, scope, of.Assessment, of.Number)
		if err != nil {
			return out, err
		}
		stated, err := terms()
		if err != nil {
			return out, err
		}
		earlier, known, err := newest(ctx, tx, scope, of.Assessment, 0)
		if err != nil {
			return out, err
		}
		var preceding []string
		if known {
			preceding = []string{earlier.Document.ID}
		}
		published, err := tx.Footprints.Published(ctx, scope, of.Assessment, of.Number)
		if err != nil {
			return out, err
		}
		document, err := documentOf(version, company, making{count: published + 1, preceding: preceding, created: now}, stated)
		if err != nil {
			return out, err
		}
		active := known && earlier.DeprecatedAt == nil
		if active && earlier.Version == of.Number && earlier.Document.Same(document) {
			return Outcome{earlier, true}, nil
		}
		out.Publication = footprint.Publication{
			AssessmentID: of.Assessment, Version: of.Number, Document: document, PublishedAt: now, PublishedBy: &access.Named{ID: who.UserID, Name: who.Name},
		}
		if err := tx.Footprints.Insert(ctx, scope, &out.Publication); err != nil {
			return out, err
		}
		changed := []string{document.ID}
		if active {
			changed = append(changed, earlier.Document.ID)
			if err := tx.Footprints.Deprecate(ctx, scope, earlier.ID, now); err != nil {
				return out, err
			}
		}
		if err := p.record(ctx, tx, who, publishAction, event.TypeFootprintPublished, out.Publication); err != nil {
			return out, err
		}
		return out, notify(ctx, tx, scope, announcement{kind: footprint.Published, data: footprint.Changed{FootprintIDs: changed}, at: now, ids: p.IDs, source: source})
	})
}

// Revoke deprecates the footprint of a version: clients still find it, and see that it must not be used. Faults: NotFound
// (also the version, or one that was never published), Conflict (footprint_deprecated).
func (p *Publishing) Revoke(ctx context.Context, who access.Principal, of VersionOf, source string) (footprint.Publication, error) {
	scope, now := who.Scope(false), p.Clock.Now()
	return app.Write(ctx, p.Deps, who, access.Footprints.Publish, func(ctx context.Context, tx ports.Repos) (out footprint.Publication, err error) {
		if _, err := tx.Assessments.GetForUpdate(ctx, scope, of.Assessment); err != nil {
			return out, err
		}
		if out, err = tx.Footprints.Newest(ctx, scope, of.Assessment, of.Number); err != nil {
			return out, err
		}
		if out.DeprecatedAt != nil {
			return out, fault.New(fault.Conflict, "footprint_deprecated", "The footprint of this version is deprecated, and stays so. Fix: publish the version again for a new one.")
		}
		if err := tx.Footprints.Deprecate(ctx, scope, out.ID, now); err != nil {
			return out, err
		}
		out.DeprecatedAt = &now
		if err := p.record(ctx, tx, who, audit.Revoke, event.TypeFootprintRevoked, out); err != nil {
			return out, err
		}
		return out, notify(ctx, tx, scope, announcement{kind: footprint.Published, data: footprint.Changed{FootprintIDs: []string{out.Document.ID}}, at: now, ids: p.IDs, source: source})
	})
}

// record adds the event and the audit entry of a publication or its end.
func (p *Publishing) record(ctx context.Context, tx ports.Repos, who access.Principal, action audit.Action, kind string, of footprint.Publication) error {
	now := p.Clock.Now()
	published := event.Event{
		ID: p.IDs.UUID(), Type: kind, CompanyID: who.CompanyID, Subject: "footprint/" + of.Document.ID, At: now,
		Data: event.FootprintChanged{Footprint: of.Document.ID, Assessment: of.AssessmentID, Version: of.Version},
	}
	if err := tx.Outbox.Add(ctx, published); err != nil {
		return err
	}
	changes := []audit.Change{{Member: "footprint", After: of.Document.ID}, {Member: "assessment", After: of.AssessmentID}, {Member: "version", After: int64(of.Version)}}
	return tx.Audit.Add(ctx, audit.By(who, now).Of(action, access.Footprints.Name, of.ID, changes))
}

// newest returns the last publication of an assessment, or of one version unless number is 0; ok is false if there is none.
func newest(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, number int) (out footprint.Publication, ok bool, err error) {
	out, err = tx.Footprints.Newest(ctx, scope, id, number)
	if fault.Is(err, fault.NotFound) {
		return out, false, nil
	}
	return out, err == nil, err
}

// Publication returns the last publication of a version. Faults: NotFound.
func (p *Publishing) Publication(ctx context.Context, who access.Principal, of VersionOf) (footprint.Publication, error) {
	return app.Read(ctx, p.Deps, who, access.Footprints.View, func(ctx context.Context, tx ports.Repos) (footprint.Publication, error) {
		return tx.Footprints.Newest(ctx, who.Scope(false), of.Assessment, of.Number)
	})
}

// List returns what the caller's company published, in the order of publication.
func (p *Publishing) List(ctx context.Context, who access.Principal, q ports.PublicationQuery) (app.List[footprint.Publication], error) {
	return app.ReadList(ctx, p.Deps, app.Ask{Who: who, Need: access.Footprints.View}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return tx.Footprints.Count(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.PublicationQuery) iter.Seq2[footprint.Publication, error] {
			return tx.Footprints.Each(ctx, scope, q)
		})
}

// Footprint returns the footprint of a version, 0 for the last submitted one: as it was last published, or else as it would
// be published with the terms. Faults: NotFound (also the version), Invalid (footprint.CodeNoFootprint, or what terms lack).
func (p *Publishing) Footprint(ctx context.Context, who access.Principal, shared bool, of VersionOf, terms footprint.Terms) (footprint.Document, error) {
	if err := p.Gate.Require(ctx, who, access.Assessments.View); err != nil {
		return footprint.Document{}, err
	}
	type found struct {
		owner     int64 // the company's id
		version   ports.AssessmentVersion
		published *footprint.Publication
	}
	it, err := app.In(ctx, p.Store.Read, func(ctx context.Context, tx ports.Repos) (out found, err error) {
		record, err := tx.Assessments.Get(ctx, who.Scope(shared), of.Assessment)
		if err != nil {
			return out, err
		}
		out.owner = record.CompanyID
		if out.version, err = tx.AssessmentVersions.Get(ctx, who.Scope(shared), of.Assessment, cmp.Or(of.Number, record.SubmittedVersion)); err != nil {
			return out, err
		}
		published, known, err := newest(ctx, tx, access.Own(out.owner), of.Assessment, out.version.Number)
		if known {
			out.published = &published
		}
		return out, err
	})
	if err != nil {
		return footprint.Document{}, err
	}
	if it.published != nil {
		return it.published.Shown(), nil
	}
	company, err := p.company(ctx, it.owner)
	if err != nil {
		return footprint.Document{}, err
	}
	return documentOf(it.version, company, making{count: 1, created: it.version.SubmittedAt}, terms)
}

// company returns the company, which identifies the owner of footprints.
func (p *Publishing) company(ctx context.Context, id int64) (ports.Company, error) {
	return app.In(ctx, p.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (ports.Company, error) {
		return tx.Accounts.Company(ctx, id)
	})
}

// making holds what distinguishes a footprint of a version from others of the same version.
type making struct {
	count     int // which publication of the version it is, from 1
	preceding []string
	created   time.Time
}

// documentOf makes the footprint of a version.
func documentOf(v ports.AssessmentVersion, company ports.Company, m making, terms footprint.Terms) (footprint.Document, error) {
	id, err := footprint.IDOf(company.UUID, v.AssessmentID, v.Number, m.count)
	if err != nil {
		return footprint.Document{}, err
	}
	src := footprint.Source{
		ID: id, Preceding: m.preceding, Created: m.created, CompanyUUID: company.UUID, CompanyName: company.Name,
		Assessment: v.AssessmentID, Version: v.Number,
	}
	var input ghg.Input
	for _, part := range []struct {
		text []byte
		into any
	}{{v.Subject, &src.Subject}, {v.Report, &src.Report}, {v.Snapshot, &input}} {
		if err := json.Unmarshal(part.text, part.into); err != nil {
			return footprint.Document{}, fmt.Errorf("version %d of assessment %d: %w", v.Number, v.AssessmentID, err)
		}
	}
	src.Transport = input.Transport
	return footprint.Make(src, terms)
}

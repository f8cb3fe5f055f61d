// Package evidence holds the use cases of files that people attach to assessments: attach, list, read and remove them,
// and clear away what crashes and removals leave behind (app/attachments).
package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"tilth/app"
	"tilth/app/attachments"
	"tilth/app/external"
	"tilth/app/ghg"
	"tilth/app/idempotency"
	"tilth/core/access"
	"tilth/core/assessment/evidence"
	"tilth/core/attachment"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// folder is the folder of the files among the objects.
const folder = "evidence/"

// Bounds are the limits of an installation.
type Bounds struct {
	Bytes int64 // of a file
	Files int   // of an assessment
}

// Files holds the use cases of files of evidence.
type Files struct {
	app.Deps
	Assessments *ghg.Assessments
	Objects     ports.Objects
	Bounds      Bounds
	Log         *slog.Logger
}

// Upload is a file as a client sends it.
type Upload struct {
	Name  string // with its extension; the folders that some browsers send are cut off
	About evidence.About
	Note  string
	Body  io.Reader
	record.External
}

// check completes an upload, or returns all that is wrong with it.
func (f *Files) check(in *Upload, whole ghg.Whole) error {
	wrong := in.About.Check(f.Assessments.Table, whole.Sheet)
	name, message := attachment.CleanName(in.Name)
	wrong.AddIf(message != "", "name", "%s", message)
	wrong.Text("note", in.Note, attachment.MaxNote)
	in.External.Check(wrong)
	in.Name = name
	return wrong.Err()
}

// Attached is a file, and whether its content had already been attached.
type Attached struct {
	evidence.File
	Again bool // it already existed; nothing was stored
}

// Attach attaches a file to an assessment. open is called once the assessment is found. If the content is already
// attached, the file that has it is returned, and nothing is stored. Faults: NotFound; Invalid (name, section, item_id,
// field, note, file); Limit (body_too_large); Conflict (limit_reached); Unavailable; and those of open.
func (f *Files) Attach(ctx context.Context, who access.Principal, id int64, open func() (Upload, error)) (Attached, error) {
	whole, err := app.Read(ctx, f.Deps, who, access.Assessments.Edit, func(ctx context.Context, tx ports.Repos) (out ghg.Whole, err error) {
		if out.Assessment, err = tx.Assessments.Get(ctx, who.Scope(false), id); err == nil {
			out.Sheet, err = tx.Assessments.Sheet(ctx, who.Scope(false), id)
		}
		return out, err
	})
	if err != nil {
		return Attached{}, err
	}
	in, err := open()
	if err != nil {
		return Attached{}, err
	}
	if err := f.check(&in, whole); err != nil {
		return Attached{}, err
	}
	file := evidence.File{About: in.About, File: attachment.File{
		Name: in.Name, Note: in.Note, At: f.Clock.Now(), By: record.Ref{ID: who.UserID, Name: who.Name}, Object: folder + f.IDs.UUID(), External: in.External,
	}}
	if err := f.Store.Write(idempotency.Apart(ctx), func(ctx context.Context, tx ports.Repos) error {
		return tx.Evidence.Begin(ctx, who.Scope(false), id, &file)
	}); err != nil {
		return Attached{}, err
	}
	if err := f.bytes().Put(ctx, &file.File, in.Body, f.Bounds.Bytes); err != nil {
		return Attached{}, errors.Join(err, f.bytes().Drop(ctx, file.File))
	}
	out, err := f.attach(ctx, who, id, file)
	if err == nil && out.Again {
		err = f.bytes().Drop(ctx, file.File)
	}
	return out, err // after any other failure the bytes stay: the file may have been attached after all
}

func (f *Files) bytes() attachments.Bytes { return attachments.Bytes{Objects: f.Objects} }

func (f *Files) attach(ctx context.Context, who access.Principal, id int64, file evidence.File) (out Attached, err error) {
	scope := who.Scope(false)
	err = f.Assessments.ChangeEvidence(ctx, who, id, func(ctx context.Context, tx ports.Repos, whole ghg.Whole) ([]audit.Change, error) {
		out = Attached{File: file}
		if wrong := file.Check(f.Assessments.Table, whole.Sheet); len(wrong) > 0 { // such as an item that is gone meanwhile
			return nil, wrong.Err()
		}
		attached, err := tx.Evidence.Of(ctx, scope, id)
		if err != nil {
			return nil, err
		}
		for _, have := range attached {
			if have.SHA256 == file.SHA256 {
				out = Attached{have, true}
				return nil, nil
			}
		}
		if len(attached) >= f.Bounds.Files {
			return nil, fault.Newf(fault.Conflict, "limit_reached", "An assessment has at most %d files here. Fix: remove one, or ask the operator to raise TILTH_MAX_EVIDENCE_FILES.", f.Bounds.Files).
				With("limit", f.Bounds.Files).With("of", "evidence").With("setting", "TILTH_MAX_EVIDENCE_FILES")
		}
		if err := external.Take(ctx, tx.Evidence, scope, external.Wish{Noun: "file", ID: file.ID, Is: file.External}); err != nil {
			return nil, err
		}
		if err := tx.Evidence.Attach(ctx, scope, id, file, f.Clock.Now()); err != nil {
			return nil, err
		}
		return []audit.Change{{Member: member(file.ID), After: audited(file)}}, nil
	})
	return out, err
}

// member returns the name of a file in the audit trail.
func member(id int64) string { return fmt.Sprintf("evidence[%d]", id) }

func audited(file evidence.File) map[string]any {
	return map[string]any{"name": file.Name, "size": file.Size, "sha256": file.SHA256}
}

// List returns the files that are attached to an assessment, in the order of their ids or, where some are chosen, only
// those. Faults: NotFound.
func (f *Files) List(ctx context.Context, who access.Principal, shared bool, id int64, chosen external.Chosen) ([]evidence.File, error) {
	scope := who.Scope(shared)
	return app.Read(ctx, f.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) ([]evidence.File, error) {
		if _, err := tx.Assessments.Get(ctx, scope, id); err != nil {
			return nil, err
		}
		all, err := tx.Evidence.Of(ctx, scope, id)
		return external.Among(all, chosen, func(f evidence.File) int64 { return f.ID }), err
	})
}

// Content is a file with a function that writes its bytes.
type Content struct {
	evidence.File
	// Write writes the bytes, and fails at the end if they are not those that were attached.
	Write func(w io.Writer) error
}

// Open returns a file that is attached, or that a submitted version lists. Faults: NotFound.
func (f *Files) Open(ctx context.Context, who access.Principal, shared bool, id, fileID int64) (Content, error) {
	scope := who.Scope(shared)
	file, err := app.Read(ctx, f.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out evidence.File, err error) {
		if _, err := tx.Assessments.Get(ctx, scope, id); err != nil {
			return out, err
		}
		return tx.Evidence.Get(ctx, scope, id, fileID)
	})
	return Content{file, func(w io.Writer) error { return f.bytes().Write(ctx, file.File, w) }}, err
}

// Remove detaches a file from an assessment for good. The versions that list it keep it. Faults: NotFound, Conflict
// (evidence_cited).
func (f *Files) Remove(ctx context.Context, who access.Principal, id, fileID int64) error {
	scope := who.Scope(false)
	return f.Assessments.ChangeEvidence(ctx, who, id, func(ctx context.Context, tx ports.Repos, whole ghg.Whole) ([]audit.Change, error) {
		file, err := tx.Evidence.Get(ctx, scope, id, fileID)
		if err != nil {
			return nil, err
		}
		var paths []string
		for _, cite := range evidence.AllCites(f.Assessments.Table, whole.Sheet) {
			if cite.File == fileID {
				paths = append(paths, cite.Path())
			}
		}
		if len(paths) > 0 {
			return nil, fault.Newf(fault.Conflict, "evidence_cited", "The file is cited in %s. Fix: take file:%d out of it first.", paths[0], fileID).With("paths", paths)
		}
		if err := tx.Evidence.Remove(ctx, scope, id, fileID, f.Clock.Now()); err != nil {
			return nil, err
		}
		return []audit.Change{{Member: member(fileID), Before: audited(file)}}, nil
	})
}

// Sweep ends uploads that a crash interrupted, and clears away removed files that no version holds. It returns the number
// cleared away.
func (f *Files) Sweep(ctx context.Context) (int64, error) {
	return f.bytes().Sweep(ctx, f.Store, f.Clock.Now(), func(tx ports.OperatorRepos) ports.AttachmentKeeper { return tx.Evidence })
}

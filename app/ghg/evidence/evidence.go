// Package evidence holds the use cases of files that people attach to assessments: attach, list, read, remove, and clear
// away what kills and removals leave behind.
//
// A file is known before its bytes are stored and attached after, and is known until after its bytes are gone: whatever is
// killed when, no listed file is without its bytes, and no bytes are left that nothing knows of.
package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"tilth/app"
	"tilth/app/ghg"
	"tilth/app/idempotency"
	"tilth/core/access"
	"tilth/core/assessment/evidence"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// folder is where the files lie among the objects.
const folder = "evidence/"

// Bounds are what an installation takes.
type Bounds struct {
	Bytes int64 // of a file
	Files int   // of an assessment
}

// Files is the use cases of files of evidence.
type Files struct {
	app.Deps
	Assessments *ghg.Assessments
	Objects     ports.Objects
	Bounds      Bounds
	Log         *slog.Logger
}

// Upload is a file as a client sends it.
type Upload struct {
	Name  string // with its ending; the folders that some browsers send are cut off
	About evidence.About
	Note  string
	Body  io.Reader
}

// check completes an upload, or returns all that is wrong with it.
func (f *Files) check(in *Upload, whole ghg.Whole) error {
	wrong := in.About.Check(f.Assessments.Table, whole.Sheet)
	name, message := evidence.CleanName(in.Name)
	wrong.AddIf(message != "", "name", "%s", message)
	wrong.Text("note", in.Note, evidence.MaxNote)
	in.Name = name
	return wrong.Err()
}

// Attached is a file, and whether its content was attached already.
type Attached struct {
	evidence.File
	Again bool // it was there; nothing was stored
}

// Attach attaches a file to an assessment. open is asked once the assessment is found. A content that is attached already
// returns the file that has it, and stores nothing. Faults: NotFound; Invalid (name, section, item_id, field, note, file);
// Limit (body_too_large); Conflict (limit_reached); Unavailable; and those of open.
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
	file := evidence.File{
		Name: in.Name, About: in.About, Note: in.Note, At: f.Clock.Now(), By: record.Ref{ID: who.UserID, Name: who.Name}, Object: folder + f.IDs.UUID(),
	}
	if err := f.Store.Write(idempotency.Apart(ctx), func(ctx context.Context, tx ports.Repos) error {
		return tx.Evidence.Begin(ctx, who.Scope(false), id, &file)
	}); err != nil {
		return Attached{}, err
	}
	if err := f.store(ctx, &file, in.Body); err != nil {
		return Attached{}, errors.Join(err, f.drop(ctx, file))
	}
	out, err := f.attach(ctx, who, id, file)
	if err == nil && out.Again {
		err = f.drop(ctx, file)
	}
	return out, err // after any other failure the bytes stay: the file may be attached all the same
}

// store stores the bytes of a file, and completes it by what they are.
func (f *Files) store(ctx context.Context, file *evidence.File, body io.Reader) (err error) {
	reader := evidence.NewReader(body)
	if _, err := f.Objects.Put(ctx, file.Object, reader); err != nil {
		return err
	}
	stored, err := f.Objects.Open(ctx, file.Object)
	if err != nil {
		return err
	}
	defer func() { _ = stored.Close() }() // it was only read
	return reader.Identify(file, stored, f.Bounds.Bytes)
}

// drop removes the bytes of a file that is not attached and never will be. The caller may have left; they go all the same.
func (f *Files) drop(ctx context.Context, file evidence.File) error {
	return f.Objects.Remove(context.WithoutCancel(ctx), file.Object)
}

func (f *Files) attach(ctx context.Context, who access.Principal, id int64, file evidence.File) (out Attached, err error) {
	scope := who.Scope(false)
	err = f.Assessments.ChangeEvidence(ctx, who, id, func(ctx context.Context, tx ports.Repos, whole ghg.Whole) ([]audit.Change, error) {
		out = Attached{File: file}
		if wrong := file.Check(f.Assessments.Table, whole.Sheet); len(wrong) > 0 { // the item is gone since
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
		if err := tx.Evidence.Attach(ctx, scope, id, file, f.Clock.Now()); err != nil {
			return nil, err
		}
		return []audit.Change{{Member: member(file.ID), After: audited(file)}}, nil
	})
	return out, err
}

// member is what the audit trail calls a file.
func member(id int64) string { return fmt.Sprintf("evidence[%d]", id) }

func audited(file evidence.File) map[string]any {
	return map[string]any{"name": file.Name, "size": file.Size, "sha256": file.SHA256}
}

// List returns the files that are attached to an assessment, in the order of their ids. Faults: NotFound.
func (f *Files) List(ctx context.Context, who access.Principal, shared bool, id int64) ([]evidence.File, error) {
	scope := who.Scope(shared)
	return app.Read(ctx, f.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) ([]evidence.File, error) {
		if _, err := tx.Assessments.Get(ctx, scope, id); err != nil {
			return nil, err
		}
		return tx.Evidence.Of(ctx, scope, id)
	})
}

// Content is a file with how its bytes are written.
type Content struct {
	evidence.File
	// Write writes the bytes, and fails at their end where they are not those that were attached.
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
	return Content{file, func(w io.Writer) error { return f.write(ctx, file, w) }}, err
}

func (f *Files) write(ctx context.Context, file evidence.File, w io.Writer) error {
	stored, err := f.Objects.Open(ctx, file.Object)
	if err != nil {
		return fmt.Errorf("the bytes of the file of evidence %d: %w", file.ID, lost(err))
	}
	defer func() { _ = stored.Close() }() // it was only read
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, sum), io.NewSectionReader(stored, 0, stored.Size())); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
		return fmt.Errorf("the bytes of the file of evidence %d are not those that were attached", file.ID)
	}
	return nil
}

// lost makes a failure of the server of bytes that are gone: the file is known, so it is no 404.
func lost(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errors.New("they are gone from the store of files; restore it from a backup")
	}
	return err
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

const (
	// keptFor is how long an upload may take, and how long the bytes of a removed file stay: a backup that began before
	// the removal finds them.
	keptFor   = 24 * time.Hour
	sweepRows = 200
)

// Sweep ends uploads that a kill broke off, and clears away files that were removed and that no version holds: their
// bytes first, then what is known of them. It returns how many it cleared away.
func (f *Files) Sweep(ctx context.Context) (total int64, err error) {
	now := f.Clock.Now()
	if _, err := app.InPieces(ctx, f.Store, sweepRows, func(ctx context.Context, tx ports.OperatorRepos) (int64, error) {
		return tx.Evidence.GiveUp(ctx, now.Add(-keptFor), now, sweepRows)
	}); err != nil {
		return 0, err
	}
	for {
		loose, err := app.In(ctx, f.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]evidence.File, error) {
			return tx.Evidence.Loose(ctx, now.Add(-keptFor), sweepRows)
		})
		if err != nil || len(loose) == 0 {
			return total, err
		}
		ids := make([]int64, len(loose))
		for i, file := range loose {
			if err := f.Objects.Remove(ctx, file.Object); err != nil {
				return total, err
			}
			ids[i] = file.ID
		}
		if err := f.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error { return tx.Evidence.Forget(ctx, ids) }); err != nil {
			return total, err
		}
		total += int64(len(ids))
	}
}

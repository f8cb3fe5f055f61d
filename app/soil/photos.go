package soil

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"tilth/app"
	"tilth/app/attachments"
	"tilth/app/external"
	"tilth/app/idempotency"
	"tilth/core/access"
	"tilth/core/attachment"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/record"
	"tilth/core/stratification/crew"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

const photoFolder = "photos/"

// PhotoBounds are the limits of an installation.
type PhotoBounds struct {
	Bytes int64 // of a photo
	Files int   // of a sample
}

// Photos holds the use cases of photos of samples. Their bytes are stored like those of evidence (app/attachments).
type Photos struct {
	app.Deps
	Objects ports.Objects
	Bounds  PhotoBounds
}

func (p *Photos) bytes() attachments.Bytes { return attachments.Bytes{Objects: p.Objects} }

// begun returns a photo that is about to be stored.
func (p *Photos) begun(who access.Principal, name, note string) attachment.File {
	return attachment.File{Name: name, Note: note, At: p.Clock.Now(), By: record.Ref{ID: who.UserID, Name: who.Name}, Object: photoFolder + p.IDs.UUID()}
}

// PhotoUpload is a photo as a client sends it.
type PhotoUpload struct {
	Name, Note string
	Body       io.Reader
	record.External
}

// AttachedPhoto is a photo, and whether its content had already been attached.
type AttachedPhoto struct {
	attachment.File
	Again bool
}

// Attach attaches a photo to a sample. open is called once the sample is found. If the content is already attached, the photo
// that has it is returned, and nothing is stored. Faults: NotFound; Invalid (name, note, file); Limit (body_too_large);
// Conflict (limit_reached); Unavailable; and those of open.
func (p *Photos) Attach(ctx context.Context, who access.Principal, sampleID int64, open func() (PhotoUpload, error)) (AttachedPhoto, error) {
	if _, err := app.Read(ctx, p.Deps, who, access.Samples.Edit, func(ctx context.Context, tx ports.Repos) (sample.Sample, error) {
		return tx.SoilSamples.Get(ctx, who.Scope(false), sampleID)
	}); err != nil {
		return AttachedPhoto{}, err
	}
	in, err := open()
	if err != nil {
		return AttachedPhoto{}, err
	}
	wrong := fault.Fields{}
	name, message := attachment.CleanName(in.Name)
	wrong.AddIf(message != "", "name", "%s", message)
	wrong.Text("note", in.Note, attachment.MaxNote)
	in.External.Check(wrong)
	if err := wrong.Err(); err != nil {
		return AttachedPhoto{}, err
	}
	photo := p.begun(who, name, in.Note)
	photo.External = in.External
	if err := p.Store.Write(idempotency.Apart(ctx), func(ctx context.Context, tx ports.Repos) error {
		return tx.SamplePhotos.Begin(ctx, who.Scope(false), sampleID, &photo)
	}); err != nil {
		return AttachedPhoto{}, err
	}
	if err := p.bytes().Put(ctx, &photo, in.Body, p.Bounds.Bytes, attachment.Pictures...); err != nil {
		return AttachedPhoto{}, errors.Join(err, p.bytes().Drop(ctx, photo))
	}
	out, err := app.Write(ctx, p.Deps, who, access.Samples.Edit, func(ctx context.Context, tx ports.Repos) (AttachedPhoto, error) {
		if _, err := tx.SoilSamples.GetForUpdate(ctx, who.Scope(false), sampleID); err != nil {
			return AttachedPhoto{}, err
		}
		have, err := tx.SamplePhotos.Of(ctx, who.Scope(false), sampleID)
		if err != nil {
			return AttachedPhoto{}, err
		}
		if i := known(have[sampleID], photo); i >= 0 {
			return AttachedPhoto{have[sampleID][i], true}, nil
		}
		if len(have[sampleID]) >= p.Bounds.Files {
			return AttachedPhoto{}, fault.New(fault.Conflict, "limit_reached", p.tooMany()).With("limit", p.Bounds.Files).With("of", "photos").With("setting", "TILTH_MAX_PHOTOS")
		}
		return AttachedPhoto{File: photo}, p.attach(ctx, tx, who, sampleID, photo)
	})
	if err == nil && out.Again {
		err = p.bytes().Drop(ctx, photo)
	}
	return out, err // after any other failure the bytes stay: the photo may have been attached after all
}

func (p *Photos) tooMany() string {
	return fmt.Sprintf("A sample has at most %d photos here. Fix: remove one, or ask the operator to raise TILTH_MAX_PHOTOS.", p.Bounds.Files)
}

// known returns the index of a photo with the same content; -1: there is none.
func known(have []attachment.File, photo attachment.File) int {
	return slices.IndexFunc(have, func(f attachment.File) bool { return f.SHA256 == photo.SHA256 })
}

func (p *Photos) attach(ctx context.Context, tx ports.Repos, who access.Principal, sampleID int64, photo attachment.File) error {
	if err := external.Take(ctx, tx.SamplePhotos, who.Scope(false), external.Wish{Noun: "photo", ID: photo.ID, Is: photo.External}); err != nil {
		return err
	}
	if err := tx.SamplePhotos.Attach(ctx, who.Scope(false), sampleID, photo, p.Clock.Now()); err != nil {
		return err
	}
	return p.audit(ctx, tx, who, sampleID, audit.Change{Member: photoMember(photo), After: auditedPhoto(photo)})
}

func (p *Photos) audit(ctx context.Context, tx ports.Repos, who access.Principal, sampleID int64, change audit.Change) error {
	return tx.Audit.Add(ctx, audit.By(who, p.Clock.Now()).Of(audit.Update, access.Samples.Name, sampleID, []audit.Change{change}))
}

// photoMember returns the name of a photo in the audit trail.
func photoMember(photo attachment.File) string { return fmt.Sprintf("photos[%d]", photo.ID) }

func auditedPhoto(photo attachment.File) map[string]any {
	return map[string]any{"name": photo.Name, "size": photo.Size, "sha256": photo.SHA256}
}

// List returns the photos of a sample, in the order of their ids or, where some are chosen, only those. Faults: NotFound.
func (p *Photos) List(ctx context.Context, who access.Principal, sampleID int64, chosen external.Chosen) ([]attachment.File, error) {
	return app.Read(ctx, p.Deps, who, access.Samples.View, func(ctx context.Context, tx ports.Repos) ([]attachment.File, error) {
		if _, err := tx.SoilSamples.Get(ctx, who.Scope(false), sampleID); err != nil {
			return nil, err
		}
		found, err := tx.SamplePhotos.Of(ctx, who.Scope(false), sampleID)
		return external.Among(found[sampleID], chosen, func(f attachment.File) int64 { return f.ID }), err
	})
}

// Open returns a photo, and a function that writes its bytes. Faults: NotFound.
func (p *Photos) Open(ctx context.Context, who access.Principal, sampleID, id int64) (attachment.File, func(w io.Writer) error, error) {
	photo, err := app.Read(ctx, p.Deps, who, access.Samples.View, func(ctx context.Context, tx ports.Repos) (attachment.File, error) {
		return tx.SamplePhotos.Get(ctx, who.Scope(false), sampleID, id)
	})
	return photo, func(w io.Writer) error { return p.bytes().Write(ctx, photo, w) }, err
}

// Remove detaches a photo for good. Faults: NotFound.
func (p *Photos) Remove(ctx context.Context, who access.Principal, sampleID, id int64) error {
	return app.Do(ctx, p.Deps, who, access.Samples.Edit, func(ctx context.Context, tx ports.Repos) error {
		photo, err := tx.SamplePhotos.Get(ctx, who.Scope(false), sampleID, id)
		if err != nil {
			return err
		}
		if err := tx.SamplePhotos.Remove(ctx, who.Scope(false), sampleID, id, p.Clock.Now()); err != nil {
			return err
		}
		return p.audit(ctx, tx, who, sampleID, audit.Change{Member: photoMember(photo), Before: auditedPhoto(photo)})
	})
}

// Sweep ends uploads that a crash interrupted, and clears away removed photos. It returns the number cleared away.
func (p *Photos) Sweep(ctx context.Context) (int64, error) {
	return p.bytes().Sweep(ctx, p.Store, p.Clock.Now(), func(tx ports.OperatorRepos) ports.AttachmentKeeper { return tx.SamplePhotos })
}

// brought is a photo from a package, for the sample of a row.
type brought struct {
	attachment.File
	row, sample int64
	path        string
}

// bring judges the photos of a package and, unless it is a preview, stores their bytes. An error in a photo is an error in its
// row; a photo that its sample already has is skipped.
func (p *Photos) bring(ctx context.Context, who access.Principal, records ports.CrewRecords, rows []labtable.Row, photos []crew.Photo, preview bool) ([]brought, error) {
	var found map[string]sample.Sample
	var have map[int64][]attachment.File
	scope := who.Scope(false)
	if err := p.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) (err error) {
		if found, err = tx.SoilSamples.ByLabels(ctx, scope, list.Map(photos, func(f crew.Photo) string { return rows[f.Row].Label })); err != nil {
			return err
		}
		var ids []int64
		for _, s := range found {
			ids = append(ids, s.ID)
		}
		have, err = tx.SamplePhotos.Of(ctx, scope, ids...)
		return err
	}); err != nil {
		return nil, err
	}
	var out []brought
	for _, f := range photos {
		row := &rows[f.Row]
		of, ok := found[row.Label]
		switch {
		case !ok || len(row.Errors) > 0:
		case records.Photo == nil:
			row.Remarks = append(row.Remarks, fmt.Sprintf("photo: %q is not in the GeoPackage. Send the zipped folder to attach it.", f.Path))
		default:
			name, message := attachment.CleanName(path.Base(f.Path))
			row.Errors.AddIf(message != "", "photo", "%s", message)
			out = append(out, brought{File: p.begun(who, name, ""), row: int64(f.Row), sample: of.ID, path: f.Path})
		}
	}
	if !preview {
		if err := p.Store.Write(idempotency.Apart(ctx), func(ctx context.Context, tx ports.Repos) error {
			for i := range out {
				if err := tx.SamplePhotos.Begin(ctx, scope, out[i].sample, &out[i].File); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	kept := out[:0]
	for _, b := range out {
		keep, err := p.receive(ctx, records, &rows[b.row], &b, have, preview)
		if err != nil {
			return nil, err
		}
		if keep {
			have[b.sample] = append(have[b.sample], b.File)
			kept = append(kept, b)
		}
	}
	return kept, nil
}

// receive reads a photo of a package, and reports whether it is to be attached.
func (p *Photos) receive(ctx context.Context, records ports.CrewRecords, row *labtable.Row, b *brought, have map[int64][]attachment.File, preview bool) (bool, error) {
	content, err := records.Photo(b.path)
	if err == nil {
		if preview {
			reader := attachment.NewReader(io.LimitReader(content, p.Bounds.Bytes+1))
			if _, err = io.Copy(io.Discard, reader); err == nil {
				err = reader.Identify(&b.File, nil, p.Bounds.Bytes, attachment.Pictures...) // for pictures nothing more is read
			}
		} else {
			err = p.bytes().Put(ctx, &b.File, io.LimitReader(content, p.Bounds.Bytes+1), p.Bounds.Bytes, attachment.Pictures...)
		}
		_ = content.Close() // it was only read
	}
	keep := false
	switch {
	case fault.Is(err, fault.Invalid) || fault.Is(err, fault.Limit):
		row.Errors.Addf("photo", "%s: %s", b.path, messageOf(err))
		err = nil
	case err != nil:
		return false, err
	case known(have[b.sample], b.File) >= 0:
		row.Remarks = append(row.Remarks, fmt.Sprintf("photo: %s is attached already.", b.path))
	case len(have[b.sample]) >= p.Bounds.Files:
		row.Errors.Addf("photo", "%s: %s", b.path, p.tooMany())
	default:
		keep = true
	}
	if !keep && !preview {
		err = p.bytes().Drop(ctx, b.File)
	}
	return keep, err
}

// messageOf returns a fault's message about its first field.
func messageOf(err error) string {
	known, _ := fault.As(err)
	for _, said := range known.Fields.Messages() {
		return said[0]
	}
	return known.Message
}

// attachAll attaches the photos of sound rows; the sweep removes the bytes of others. A preview only reports this.
func (p *Photos) attachAll(ctx context.Context, tx ports.Repos, who access.Principal, photos []brought, judged []JudgedSample, preview bool) error {
	for _, b := range photos {
		j := &judged[b.row]
		if j.Verdict == SampleFail {
			continue
		}
		if !preview {
			if err := p.attach(ctx, tx, who, b.sample, b.File); err != nil {
				return err
			}
		}
		j.Verdict, j.Remarks = SampleUpdate, append(j.Remarks, fmt.Sprintf("photo: %s is attached.", b.path))
	}
	return nil
}

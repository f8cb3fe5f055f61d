package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/assessment/evidence"
	"tilth/core/attachment"
)

// Evidence is the files that are attached to the assessments of a company. A file is attached or removed under the lock of
// its assessment; a scope shows those of the assessments it shows.
type Evidence interface {
	// Keyed covers the files that are attached.
	Keyed
	// Begin stores the name of an object whose bytes are about to be stored, and fills in the id of the file. Nothing lists
	// it until it is attached. Faults: NotFound.
	Begin(ctx context.Context, scope access.Scope, assessmentID int64, file *evidence.File) error
	// Attach stores all that is known about a file that was begun. Faults: NotFound, also where its upload has taken so
	// long that it was given up.
	Attach(ctx context.Context, scope access.Scope, assessmentID int64, file evidence.File, at time.Time) error
	// Of returns the files that are attached to an assessment, in the order in which they were begun.
	Of(ctx context.Context, scope access.Scope, assessmentID int64) ([]evidence.File, error)
	// Held returns the files that a version holds, in the same order.
	Held(ctx context.Context, scope access.Scope, assessmentID int64, number int) ([]evidence.File, error)
	// Get returns a file that is attached, or that a version holds. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, assessmentID, id int64) (evidence.File, error)
	// Remove detaches a file for good. Faults: NotFound.
	Remove(ctx context.Context, scope access.Scope, assessmentID, id int64, at time.Time) error
	// Hold ties the currently attached files to a version, whatever becomes of them later.
	Hold(ctx context.Context, scope access.Scope, assessmentID int64, number int) error
}

// AttachmentKeeper cleans up what is left of files that were attached to records of a kind, of all companies.
type AttachmentKeeper interface {
	// GiveUp removes up to limit files that were begun before a time and are still not attached: they never will be. It
	// returns how many.
	GiveUp(ctx context.Context, before, now time.Time, limit int) (int64, error)
	// Loose returns up to limit files that were removed before a time and that nothing holds.
	Loose(ctx context.Context, before time.Time, limit int) ([]attachment.File, error)
	// Forget deletes files that are loose, once their bytes are gone.
	Forget(ctx context.Context, ids []int64) error
}

// SamplePhotos is the photos of the samples of a company. A photo is attached or removed under the lock of its sample.
type SamplePhotos interface {
	// Keyed covers the photos that are attached.
	Keyed
	// Begin stores the name of an object whose bytes are about to be stored, and fills in the id of the photo. Nothing
	// lists it until it is attached. Faults: NotFound.
	Begin(ctx context.Context, scope access.Scope, sampleID int64, photo *attachment.File) error
	// Attach stores all that is known about a photo that was begun. Faults: NotFound, also where its upload has taken
	// so long that it was given up.
	Attach(ctx context.Context, scope access.Scope, sampleID int64, photo attachment.File, at time.Time) error
	// Of returns the photos that are attached to samples, by sample, in the order in which they were begun.
	Of(ctx context.Context, scope access.Scope, sampleIDs ...int64) (map[int64][]attachment.File, error)
	// Get returns a photo that is attached. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, sampleID, id int64) (attachment.File, error)
	// Remove detaches a photo for good. Faults: NotFound.
	Remove(ctx context.Context, scope access.Scope, sampleID, id int64, at time.Time) error
}

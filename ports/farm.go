package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
)

// Fields are the fields of a company.
type Fields interface {
	Records[farm.Field]
	// GetByUUID returns a field by its uuid. Faults: NotFound.
	GetByUUID(ctx context.Context, scope access.Scope, uuid string) (farm.Field, error)
	// IDsOfFarm returns the live fields of a farm.
	IDsOfFarm(ctx context.Context, scope access.Scope, farmID int64) ([]int64, error)
	// UndeleteOfFarm restores the fields of a farm that were deleted at a time, and returns their ids.
	UndeleteOfFarm(ctx context.Context, scope access.Scope, farmID int64, deletedAt, now time.Time) ([]int64, error)
	// GetManyByUUID returns those of the uuids that are in the scope. In a Write they cannot be deleted before it ends.
	GetManyByUUID(ctx context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error)
	// GetBare returns those of the fields that are in the scope, by id, without their boundaries.
	GetBare(ctx context.Context, scope access.Scope, ids []int64) (map[int64]farm.Field, error)
	// Near returns the places of the live fields of the company whose boxes meet a box: up to limit, in order of id, after an id.
	Near(ctx context.Context, scope access.Scope, box geo.Box, after int64, limit int) ([]farm.Place, error)
	// Extent returns the box around all live fields; ok is false where none has a boundary.
	Extent(ctx context.Context, scope access.Scope) (box geo.Box, ok bool, err error)
	// PutLineage stores what became of fields that were split or merged.
	PutLineage(ctx context.Context, scope access.Scope, made []farm.Descent) error
	// Lineage returns what fields were made from and what they became, by id; nothing for those that were neither split nor merged.
	Lineage(ctx context.Context, scope access.Scope, ids []int64) (map[int64]farm.Lineage, error)
	// Homes returns those of the farms that are in the scope, by id, as a field shows them. In a Write they cannot be deleted
	// before it ends.
	Homes(ctx context.Context, scope access.Scope, farmIDs []int64) (map[int64]farm.Home, error)
	// Spots returns the approximate places of the live fields of farms of the company, by farm.
	Spots(ctx context.Context, scope access.Scope, farmIDs []int64) (map[int64][]farm.Spot, error)
}

// FieldOverlaps are the overlaps between boundaries of a company, found when a boundary changes.
type FieldOverlaps interface {
	// Alone blocks other changes to the company's boundaries until the transaction ends, so that
	// changes see one another. It is the last lock that a transaction takes before that of a job.
	Alone(ctx context.Context, scope access.Scope) error
	// Of returns what is known, by the id of the field; nothing for fields that overlap none.
	Of(ctx context.Context, scope access.Scope, ids []int64) (map[int64]farm.Overlaps, error)
	// Put stores what is known about fields, by id. Fields that are named already stay named.
	Put(ctx context.Context, scope access.Scope, known map[int64]farm.Overlaps) error
	// Forget removes what was found about fields. A field that overlapped more fields than were named, and is left with
	// none named, is to be checked again; again reports whether there is any.
	Forget(ctx context.Context, scope access.Scope, ids []int64) (again bool, err error)
	// NextPending returns a live field that is to be checked; ok is false where there is none.
	NextPending(ctx context.Context, scope access.Scope) (id int64, ok bool, err error)
}

// Seasons are the seasons of a company.
type Seasons interface {
	Records[farm.Season]
	// InUse reports whether a live cultivation uses the season.
	InUse(ctx context.Context, scope access.Scope, id int64) (bool, error)
}

// Crops is the shared catalog; companies read it.
type Crops interface {
	Count(ctx context.Context, q Query) (int64, error)
	Each(ctx context.Context, q Query) iter.Seq2[farm.Crop, error]
	// Get returns one crop, active or not. Faults: NotFound.
	Get(ctx context.Context, id int64) (farm.Crop, error)
	GetMany(ctx context.Context, ids []int64) (map[int64]farm.Crop, error)
}

// CropWriter writes the crop catalog; only the operator's command line does.
type CropWriter interface {
	// UpsertCrops stores crops by their slug; those not named are left as they are.
	UpsertCrops(ctx context.Context, crops []farm.Crop, at time.Time) error
	CountCrops(ctx context.Context) (int64, error)
}

// Cultivations are the cultivations of a company.
type Cultivations interface {
	Records[farm.Cultivation]
	// CountOfField counts the live cultivations of a field.
	CountOfField(ctx context.Context, scope access.Scope, fieldID int64) (int64, error)
	// SoftDeleteOfFields marks every live cultivation of the fields as deleted.
	SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error)
	// UndeleteOfFields restores the cultivations of the fields that were deleted at a time.
	UndeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, deletedAt, now time.Time) error
	// OfFields returns the live cultivations of the fields, in the order of their ids.
	OfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]farm.Cultivation, error)
	// SeasonsOfFields returns the ids of the seasons that live cultivations of the fields use.
	SeasonsOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error)
}

// Fertilizations are the applications of fertilizers of a company.
type Fertilizations interface {
	Records[farm.Fertilization]
	// OfFields returns the live fertilizations in the scope of cultivations of fields, in order of id.
	OfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]farm.Fertilization, error)
	// SoftDeleteOfFields marks those of live cultivations of the fields as deleted.
	SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error)
	// SoftDeleteOfCultivation marks those of a cultivation as deleted.
	SoftDeleteOfCultivation(ctx context.Context, scope access.Scope, cultivationID int64, at time.Time) (int64, error)
	// UndeleteOfFields restores those that were deleted at a time with the cultivations of the fields, and returns their ids.
	UndeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, deletedAt, now time.Time) ([]int64, error)
	// UndeleteOfCultivation restores those that were deleted at a time with a cultivation, and returns their ids.
	UndeleteOfCultivation(ctx context.Context, scope access.Scope, cultivationID int64, deletedAt, now time.Time) ([]int64, error)
}

// Boundaries are the boundaries that the fields of a company have had.
type Boundaries interface {
	// Close ends the versions in force of the fields.
	Close(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) error
	// Open begins a version of each field with the boundary that it has, in force from the field's last change. Earlier
	// versions must have been closed. A by of 0 is nobody.
	Open(ctx context.Context, scope access.Scope, fieldIDs []int64, by int64) error
	// InForce returns the version of a field that is in force. Faults: NotFound where it has no boundary.
	InForce(ctx context.Context, scope access.Scope, fieldID int64) (farm.BoundaryVersion, error)
	// Count counts the versions of a field, and of those that it was made from, in the scope.
	Count(ctx context.Context, scope access.Scope, fieldID int64) (int64, error)
	// Each streams a page of these versions, newest first.
	Each(ctx context.Context, scope access.Scope, fieldID int64, q Query) iter.Seq2[farm.BoundaryVersion, error]
}

// Imports are a company's imports that run in the background.
type Imports interface {
	// Insert stores an import and fills in its id.
	Insert(ctx context.Context, scope access.Scope, record *farm.Import) error
	Lockable[farm.Import]
	// Update stores an import read by GetForUpdate.
	Update(ctx context.Context, scope access.Scope, record farm.Import) error
	// AddFailures keeps failed features for the report; one that is kept already stays.
	AddFailures(ctx context.Context, scope access.Scope, id int64, failed []farm.Judged) error
	// Failures returns the kept features, in order of the file.
	Failures(ctx context.Context, scope access.Scope, id int64, limit int64) ([]farm.Judged, error)
	// Matches returns the live fields of farms by those of the external ids that they carry, in order of id.
	Matches(ctx context.Context, scope access.Scope, farmIDs []int64, externalIDs []string) (map[string][]farm.Field, error)
	// MatchesByUUID returns the live fields of the company by their uuids.
	MatchesByUUID(ctx context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error)
	// Farms returns the live farms of the company as files can refer to them, in order of id.
	Farms(ctx context.Context, scope access.Scope) ([]farm.Called, error)
	// AddMade keeps the farms that a locked import created, or that a preview would create (ID 0), for the report; each name is kept once.
	AddMade(ctx context.Context, scope access.Scope, id int64, farms []record.Ref) error
	// Made returns these farms, in order of their ids and names.
	Made(ctx context.Context, scope access.Scope, id int64) ([]record.Ref, error)
}

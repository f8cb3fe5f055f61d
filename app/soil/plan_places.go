package soil

import (
	"context"
	"fmt"

	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	soilplan "tilth/core/stratification/plan"
	"tilth/ports"
)

// PlaceFile is a file with the places at which samples are taken.
type PlaceFile struct {
	Media string // content type; empty where the sender does not say
	File  ports.Object
}

// PlaceAt derives a plan from another one, candidate or saved, whose samples are taken at the places in a file: a custom plan, as by
// [Plans.Customise]. If the file matches the plan nothing changes, and the plan is returned as it is. With preview nothing is
// stored. Faults: NotFound; Invalid (file, operations); Limit (its content type).
func (p *Plans) PlaceAt(ctx context.Context, who access.Principal, uuid string, preview bool, open func() (PlaceFile, error)) (soilplan.SamplePlan, error) {
	base, of, frame, err := p.based(ctx, who, uuid)
	if err != nil {
		return base, err
	}
	file, err := open()
	if err != nil {
		return base, err
	}
	found, err := p.Places.Places(ctx, file.Media, file.File)
	if err != nil {
		return base, err
	}
	if len(found) == 0 || len(found) > soilplan.MaxPlaces {
		return base, fault.Field("file", fmt.Sprintf("A file must have 1 to %d points; this one has %d.", soilplan.MaxPlaces, len(found)))
	}
	plane, err := inPlane(frame, "file", list.Map(found, func(at ports.TaskPoint) geo.Position { return at.At }))
	if err != nil {
		return base, err
	}
	named := make([]soilplan.Named, len(found))
	for i := range found {
		named[i] = soilplan.Named{Name: found[i].Name, At: plane[i]}
	}
	budget := effort.Of(ctx, 0)
	points, outside, err := base.Plan.PlacedAt(budget, &of.Candidate.Zoning, named)
	if err == nil && outside == len(found) {
		err = fault.Field("file", fmt.Sprintf("None of its %d points lies in the area of interest of the plan.", outside))
	}
	if err != nil {
		return base, err
	}
	operations, err := soilplan.OperationsFor(base.Plan, points)
	if err != nil || len(operations) == 0 {
		return base, err
	}
	plan, err := soilplan.Customise(budget, frame, &of.Candidate.Zoning, base.Plan, operations)
	if err != nil {
		return base, err
	}
	if outside > 0 {
		plan.Concerns = append(plan.Concerns, soilplan.Concern{Code: "outside", Message: fmt.Sprintf("%d of the %d points of the file lie outside the area of interest, and are left out.", outside, len(found))})
	}
	if preview {
		base.Plan = plan
		return base, nil
	}
	return p.store(ctx, who, of, plan)
}

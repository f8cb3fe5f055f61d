package demo

import (
	"context"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/ports"
)

// pricePerHa is what the stratification of the demonstration costs per hectare.
const pricePerHa credit.Amount = 2_50

// areaName is the name of the demonstration's area of interest.
const areaName = "All parcels"

// stratify subscribes the company to stratification, prices it, and makes an area of interest of
// all parcels, so that it can be ordered at once. What is there already is left as it is.
func (l *Loader) stratify(ctx context.Context, who access.Principal) error {
	subscribed, priced := true, false
	if err := l.Store.Consult(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		_, err := tx.Subscriptions.Get(ctx, who.CompanyID, access.Stratification)
		if subscribed = err == nil; err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		_, priced, err = tx.Wallet.Price(ctx, credit.ServiceSTR)
		return err
	}); err != nil {
		return err
	}
	if !subscribed {
		if _, err := l.Operating.Subscribe(ctx, who.CompanyID, access.Stratification, nil); err != nil {
			return err
		}
	}
	if !priced {
		if err := l.Operating.SetPrice(ctx, credit.ServiceSTR, pricePerHa); err != nil {
			return err
		}
	}
	area := stratification.AOI{Name: areaName, Description: note}
	fields, err := l.Fields.List(ctx, who, false, ports.Query{})
	if err != nil {
		return err
	}
	for f, err := range fields.Each {
		if err != nil {
			return err
		}
		if isParcel(f) {
			area.Fields = append(area.Fields, stratification.AOIField{UUID: f.UUID})
		}
	}
	if len(area.Fields) == 0 {
		return nil // the user took the parcels away
	}
	_, err = ensure(ctx, l.AOIs.Records, who, func(a stratification.AOI) string { return a.Name }, area)
	return err
}

// isParcel reports whether a field is one that the demonstration made, and has a boundary.
func isParcel(f farm.Field) bool { return f.Source == source && f.Boundary != nil }

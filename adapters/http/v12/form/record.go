// Package form has what the resources of several products share: references and the members that
// every record has, the parameters of lists as queries, optional values, and uploaded files. A form
// that only one product uses is in that product's package.
package form

import (
	"fmt"
	"time"

	"tilth/adapters/http/etag"
	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/core/record"
)

// Ref is a reference to another record.
type Ref struct {
	ID   int64  `json:"id" doc:"Id of the record."`
	Name string `json:"name" doc:"Its name now."`
}

// RefOf returns a reference of the core for an answer.
func RefOf(r record.Ref) Ref { return Ref(r) }

// Named returns a reference of access rules for an answer.
func Named(n access.Named) Ref { return Ref(n) }

// Meta has the members that every record of a company has.
type Meta struct {
	ID        int64     `json:"id" doc:"Id of the record; the service sets it, and it never changes."`
	CreatedAt time.Time `json:"created_at" doc:"When the record was made."`
	UpdatedAt time.Time `json:"updated_at" doc:"When the record was last written."`
	CreatedBy *Ref      `json:"created_by" doc:"Who made the record; null where that user is gone."`
	Company   Ref       `json:"company" doc:"The company that the record belongs to."`
}

// MetaOf returns the members that every record has, of a record of the core, for an answer.
func MetaOf(m record.Meta) Meta {
	return Meta{m.ID, m.CreatedAt, m.UpdatedAt, Pointed(m.CreatedBy, RefOf), Ref{m.CompanyID, m.Company}}
}

// Version changes with every write of the record; see [etag.Versioned].
func (m Meta) Version() string {
	return fmt.Sprintf("%d.%x", m.ID, m.UpdatedAt.UnixMicro())
}

// OfCompany is the writable form of the company: only the caller's own is accepted.
type OfCompany struct {
	CompanyID *int64 `json:"company_id" required:"false" minimum:"1" doc:"May be left out; any company other than your own is refused."`
}

// Apply writes the company to a record; 0 stands for the caller's own.
func (c OfCompany) Apply(m *record.Meta) { m.CompanyID = OrZero(c.CompanyID) }

// CompanyOf returns the company of a record in its writable form.
func CompanyOf(m record.Meta) OfCompany { return OfCompany{&m.CompanyID} }

// Change returns a function that applies the body of a write to the current record, once the
// If-Match header is compared. It is called under the record's lock.
func Change[T, W, R any](c *rest.Call, show func(T) R, write func(T) W, apply func(W, *T)) func(current T) (T, error) {
	return func(current T) (T, error) {
		if err := CheckIfMatch(c, current, show); err != nil {
			return current, err
		}
		body, err := rest.DecodeChange(c, write(current))
		if err == nil {
			apply(body, &current)
		}
		return current, err
	}
}

// CheckIfMatch compares the If-Match header of a write with the current record; call it under the record's lock.
func CheckIfMatch[T, R any](c *rest.Call, current T, show func(T) R) error {
	if c.Header("If-Match") == "" {
		return nil
	}
	record, ok := any(show(current)).(etag.Versioned)
	if !ok {
		return nil
	}
	return c.IfMatch(record)
}

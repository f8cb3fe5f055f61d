package account

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
	"tilth/core/access"
	"tilth/ports"
)

// CompanyRef is the company a caller acts in.
type CompanyRef struct {
	ID   int64  `json:"id"`
	UUID string `json:"uuid" format:"uuid"`
	Name string `json:"name"`
}

// Me is the caller, to itself.
type Me struct {
	ID      int64         `json:"id"`
	Name    string        `json:"name"`
	Email   string        `json:"email"`
	Company *CompanyRef   `json:"company" doc:"Null for an operator outside any company."`
	Roles   []string      `json:"roles"`
	Slugs   []access.Slug `json:"slugs" doc:"What the caller may do now."`
}

func showMe(m account.Me) Me {
	company := form.Pointed(m.Company, func(c ports.Company) CompanyRef { return CompanyRef{c.ID, c.UUID, c.Name} })
	return Me{m.Principal.UserID, m.Principal.Name, m.Principal.Email, company, orEmpty(m.Roles), orEmpty(m.Slugs)}
}

// orEmpty returns a list that is written as [] and not as null.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

func registerMe(a *rest.API, p *account.People) {
	rest.Handle(a, rest.Route{
		Method: http.MethodGet, Path: "auth/me/", OperationID: "me_retrieve", Summary: "Show the caller", Tag: signInTag,
	}, func(ctx context.Context, c *rest.Call, _ struct{}) (Me, error) {
		me, err := p.Me(ctx, c.Principal())
		return showMe(me), err
	})
}

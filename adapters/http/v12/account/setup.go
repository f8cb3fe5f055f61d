package account

import (
	"context"
	"net/http"
	"strconv"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/operating"
	"tilth/core/credit"
	"tilth/core/fault"
)

// SetupState states whether an installation is empty.
type SetupState struct {
	Needed bool `json:"needed" doc:"Whether there is no company yet, so that the first one can be made here."`
}

// SetupWrite is the first company with its owner.
type SetupWrite struct {
	Token    string   `json:"token" minLength:"1" maxLength:"2048" doc:"What follows # in the address that the server printed when it started. It is valid for a day, and only until there is a company."`
	Company  string   `json:"company" minLength:"1" maxLength:"255" doc:"Name of the first company."`
	Name     *string  `json:"name" required:"false" maxLength:"255" doc:"Name of the owner; left out: the part of the address before the @."`
	Email    string   `json:"email" format:"email" minLength:"1" maxLength:"254" doc:"The address that the owner signs in with."`
	Password string   `json:"password" minLength:"10" maxLength:"1024" doc:"Neither the e-mail address nor one of the passwords that are guessed first."`
	Credit   *float64 `json:"credit" required:"false" minimum:"0" doc:"Credits that the company begins with, with at most two decimals; left out: none. The operator can add more at any time."`
}

// SetupMade is what was made.
type SetupMade struct {
	Company CompanyRef `json:"company" doc:"The first company."`
	Owner   form.Ref   `json:"owner" doc:"Its owner, who can sign in now."`
}

func registerSetup(a *rest.API, s *operating.Setup) {
	a.DescribeCodes(map[string]string{
		"already_set_up":      "the installation has a company already (409)",
		"setup_token_invalid": "the token is not the one that the server printed when it started, or a day has passed (401)",
	})
	state := public("setup/", "setup_retrieve", "Find out whether an installation is empty", "An empty installation prints, where it is started, the address of the page that makes its first company.", http.StatusOK)
	state.Method = http.MethodGet
	rest.Handle(a, state, func(ctx context.Context, c *rest.Call, _ struct{}) (SetupState, error) {
		needed, err := s.Needed(ctx)
		return SetupState{needed}, err
	})
	rest.Handle(a, public("setup/", "setup_create", "Make the first company and its owner",
		"Takes the token that the server printed where it was started, since only those who see that may begin. Company, owner and credit are made together or not at all; of simultaneous callers one succeeds. "+
			"Where a company exists this does nothing.",
		http.StatusCreated, http.StatusUnauthorized, http.StatusConflict),
		func(ctx context.Context, c *rest.Call, in rest.JSON[SetupWrite]) (SetupMade, error) {
			first := operating.FirstCompany{Token: in.Body.Token, Company: in.Body.Company, Owner: operating.NewUser{Name: form.OrZero(in.Body.Name), Email: in.Body.Email, Password: in.Body.Password}}
			if asked := form.OrZero(in.Body.Credit); asked != 0 {
				var err error
				if first.Credit, err = credit.ParseAmount(strconv.FormatFloat(asked, 'f', -1, 64)); err != nil {
					return SetupMade{}, fault.Field("credit", err.Error())
				}
			}
			company, owner, err := s.Run(ctx, first)
			return SetupMade{CompanyRef{company.ID, company.UUID, company.Name}, form.Ref{ID: owner.ID, Name: owner.Name}}, err
		})
}

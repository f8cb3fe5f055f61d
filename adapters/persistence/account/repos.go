// Package account stores companies and their people: users, roles, invitations, credentials,
// API keys, share grants, subscriptions, letters, and the wallet with its ledger.
package account

import (
	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// Repos adds the repositories of this package to a bundle.
func Repos(s *sqlstore.Session, r *ports.Repos) {
	r.Wallet, r.Grants, r.Keys, r.Members, r.Roles = wallet{s}, grantRecords(s), keyRecords(s), memberRecords(s), roleRecords(s)
	r.Invitations, r.Letters, r.Alerts = invitationRecords(s), letters{s}, alerts{s}
}

// OperatorRepos adds those that work for the operator.
func OperatorRepos(s *sqlstore.Session, r *ports.OperatorRepos) {
	r.Accounts, r.Prices, r.Wallet, r.Keys, r.Members = accounts{s}, wallet{s}, wallet{s}, keyRecords(s), memberRecords(s)
	r.Invitations, r.Tickets, r.Credentials, r.Attempts = invitationRecords(s), tickets{s}, accounts{s}, attempts{s}
	r.Letters, r.Alerts, r.Roles, r.Subscriptions = letters{s}, alerts{s}, roleRecords(s), subscriptions{s}
	r.Companies, r.Users = companyRecords(s), whole[ports.Account, accountRow]{s, accountView}
}

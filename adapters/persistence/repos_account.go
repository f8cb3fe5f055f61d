package persistence

import "tilth/ports"

// accountRepos adds the repositories of this package to a bundle.
func accountRepos(s *session, r *ports.Repos) {
	r.Wallet, r.Grants, r.Keys, r.Members, r.Roles = wallet{s}, grants{s}, keys{s}, members{s}, roles{s}
	r.Invitations, r.Letters = invitations{s}, letters{s}
}

// accountOperatorRepos adds those that work for the operator.
func accountOperatorRepos(s *session, r *ports.OperatorRepos) {
	r.Accounts, r.Prices, r.Wallet, r.Keys, r.Members = accounts{s}, prices{s}, wallet{s}, keys{s}, members{s}
	r.Invitations, r.Tickets, r.Credentials, r.Attempts = invitations{s}, tickets{s}, credentials{s}, attempts{s}
	r.Letters, r.Subscriptions = letters{s}, subscriptions{s}
}

// Package account holds the use cases of companies and their people: signing in, users, roles and
// invitations, API keys, share grants, and the letters that go out by mail. What may be granted to
// others and who must remain are rules of core/access, which are checked under the company's lock.
//
// It does not check permissions for other packages (package app does), and what a share grant shows
// is decided by the scope of every repository call. Hashing and signing are behind ports.
package account

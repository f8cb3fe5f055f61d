package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// Lifetimes of signed links.
const (
	LinkTTL    = time.Hour // where no lifetime is asked for
	MaxLinkTTL = 24 * time.Hour
)

// linkAudience is the audience of the tokens of signed links; nothing else accepts it.
const linkAudience = "tilth:link"

// IssueLink returns the text of a link whose holder can read, until it expires, what lies below a path and what a permission lets
// its maker see: a picture in a page, or a map library, can show no other credential. It opens nothing that its maker may not open,
// ends with the maker's account, role or key, and is not stored. The caller has checked the permission.
func (i *Identity) IssueLink(ctx context.Context, who access.Principal, below string, need access.Permission, lasts time.Duration) (text string, expires time.Time, err error) {
	now := i.Clock.Now()
	subject := fmt.Sprintf("%d:%d:%d:%s:%s", who.UserID, who.CompanyID, who.KeyID, need.Slug(), below)
	text, err = i.Signed.IssueFor(ctx, linkAudience, subject, now, lasts)
	return text, now.Add(lasts).Truncate(time.Second), err
}

var badLink = fault.New(fault.Unauthenticated, "link_invalid", "The signed link is not valid for this address.")

// AuthenticateLink returns the caller behind a signed link for a path: its maker, with only the permission of the link. Faults:
// Unauthenticated (link_expired; link_invalid, also for another path, and where the maker or their key is gone or has moved on).
func (i *Identity) AuthenticateLink(ctx context.Context, text, path string) (who access.Principal, err error) {
	subject, err := i.Signed.VerifyFor(ctx, linkAudience, text, i.Clock.Now())
	switch f, _ := fault.As(err); {
	case err == nil:
	case f != nil && f.Code == "token_expired":
		return who, fault.New(fault.Unauthenticated, "link_expired", "The signed link has expired. Fix: make another.")
	case fault.Is(err, fault.Unauthenticated):
		return who, badLink
	default:
		return who, err
	}
	parts := strings.SplitN(subject, ":", 5)
	var userID, companyID, keyID int64
	if len(parts) != 5 {
		return who, badLink
	}
	if _, err := fmt.Sscan(strings.Join(parts[:3], " "), &userID, &companyID, &keyID); err != nil {
		return who, badLink
	}
	if slug, below := parts[3], parts[4]; below == "" || !strings.HasPrefix(path, below) {
		return who, badLink
	} else if who, err = i.maker(ctx, userID, companyID, keyID); err == nil {
		who.KeySlugs = []string{slug}
	}
	return who, err
}

// maker returns who made a link, as the caller they were then.
func (i *Identity) maker(ctx context.Context, userID, companyID, keyID int64) (access.Principal, error) {
	who, err := app.In(ports.Loosely(ctx), i.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (access.Principal, error) {
		user, version, err := tx.Accounts.Caller(ctx, userID)
		if err != nil {
			return access.Principal{}, err
		}
		return callerOf(user, version)
	})
	if fault.Is(err, fault.NotFound) || err == nil && !who.Operator && who.CompanyID != companyID {
		return access.Principal{}, badLink
	}
	if err == nil && who.Operator && companyID != 0 {
		who, err = i.Enter(ctx, who, companyID)
	}
	if err != nil || keyID == 0 {
		return who, err
	}
	key, err := app.In(ports.Loosely(ctx), i.Store.Read, func(ctx context.Context, tx ports.Repos) (access.APIKey, error) {
		return tx.Keys.Get(ctx, access.Own(companyID), keyID)
	})
	if fault.Is(err, fault.NotFound) || err == nil && (key.Usable(i.Clock.Now()) != nil || key.User.ID != userID) {
		return access.Principal{}, badLink
	}
	who.KeyID = keyID
	return who, err
}

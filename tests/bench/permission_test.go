package bench

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/permission"
	"tilth/adapters/persistence"
	"tilth/core/access"
	"tilth/ports"
	"tilth/tests/rig"
)

// BenchmarkPolicyChange has one user of a company of 10,000 ask after each change of its policy, and then 64 at once,
// on each database. Each of them reads its own roles. next-ms is the time that the first waits.
func BenchmarkPolicyChange(b *testing.B) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			db, err := persistence.Open(b.Context(), open(b), persistence.Options{Clock: identity.Clock{}, IDs: identity.Random{}})
			require.NoError(b, err)
			defer func() { require.NoError(b, db.Close()) }()
			const users, asking = 10_000, 64
			company, ids := ports.Company{UUID: identity.Random{}.UUID(), Name: "Large"}, make([]int64, users)
			operate := func(do func(tx ports.OperatorRepos) error) {
				require.NoError(b, db.Operate(b.Context(), func(_ context.Context, tx ports.OperatorRepos) error { return do(tx) }))
			}
			operate(func(tx ports.OperatorRepos) error {
				return tx.Accounts.CreateCompany(b.Context(), &company, access.DefaultRoles())
			})
			operate(func(tx ports.OperatorRepos) error {
				for i := range ids {
					user := ports.User{CompanyID: company.ID, Email: fmt.Sprintf("u%d@large.example", i)}
					if err := tx.Accounts.CreateUser(b.Context(), &user); err != nil {
						return err
					}
					if err := tx.Accounts.GiveRole(b.Context(), user.ID, company.ID, access.RoleEditor); err != nil {
						return err
					}
					ids[i] = user.ID
				}
				return nil
			})
			c := permission.New(db)
			ask := func(id, version int64) {
				ok, err := c.Allowed(b.Context(), access.Principal{UserID: id, CompanyID: company.ID, PolicyVersion: version}, "farm.edit")
				if !ok || err != nil {
					b.Error(ok, err)
				}
			}
			var next time.Duration
			defer func() { b.ReportMetric(float64(next.Microseconds())/1000/float64(b.N), "next-ms") }()
			for b.Loop() {
				var version int64
				operate(func(tx ports.OperatorRepos) (err error) {
					if err = tx.Accounts.GiveRole(b.Context(), ids[0], company.ID, access.RoleEditor); err == nil {
						_, version, err = tx.Accounts.Caller(b.Context(), ids[0])
					}
					return err
				})
				began := time.Now()
				ask(ids[asking], version)
				next += time.Since(began)
				var all sync.WaitGroup
				for _, id := range ids[:asking] {
					all.Go(func() { ask(id, version) })
				}
				all.Wait()
			}
		})
	}
}

//go:build cluster

// Package cluster tests several replicas of the program on one PostgreSQL: what must
// hold when requests land anywhere and processes die at any moment.
package cluster

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/operating"
	"tilth/tests/rig"
	"tilth/wire"
)

func TestMain(m *testing.M) { rig.Main(m) }

const replicas = 3

// owner makes a company with credit and a token of its owner.
func owner(t *testing.T, database string) string {
	t.Helper()
	ctx := context.Background()
	cfg, err := cli.ReadConfig(map[string]string{"TILTH_DATABASE_URL": database})
	require.NoError(t, err)
	opened, err := wire.Program{}.Open(ctx, cfg, slog.New(slog.DiscardHandler), true)
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	company, err := opened.Operating.CreateCompany(ctx, "Cluster")
	require.NoError(t, err)
	_, err = opened.Operating.CreateUser(ctx, operating.NewUser{CompanyID: company.ID, Email: "o@cluster.example", Role: "owner"})
	require.NoError(t, err)
	_, err = opened.Operating.CreditWallet(ctx, company.ID, 1000_00, "")
	require.NoError(t, err)
	token, err := opened.Operating.CreateToken(ctx, "o@cluster.example", time.Hour)
	require.NoError(t, err)
	return token
}

// Sixty identical orders over three replicas, and deletes of a field's cultivations, as
// one replica after the other is killed and replaced: one order, one charge, one
// cultivation left.
func TestReplicasAgreeWhileTheyDie(t *testing.T) {
	database, archive := rig.PostgreSQL(t), rig.Archive(t)
	token := owner(t, database)
	var processes [replicas]*rig.Process
	for i := range processes {
		processes[i] = rig.StartProcess(t, database, archive.Dir)
	}
	client := func(i int) *rig.Client { return rig.Remote(t, processes[i%replicas].URL, token) }
	land := client(0).Land(archive.Parcels[0].Boundary, archive.From.Format(time.DateOnly), archive.To.Format(time.DateOnly))
	for range 19 {
		client(1).Make("cultivation/", map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop})
	}

	ids := make(chan int64, 60)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			a := client(i).Do("POST", rig.OrdersPath, land.OrderBody())
			switch a.Status {
			case 200:
				ids <- int64(a.Data(t)["order_id"].(float64))
			case 409:
				ids <- int64(a.Map(t)["details"].(map[string]any)["order_id"].(float64))
			default:
				t.Errorf("%d: %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	close(ids)
	order := <-ids
	for id := range ids {
		require.Equal(t, order, id)
	}
	for i := range processes {
		processes[i].Kill()
		processes[i] = rig.StartProcess(t, database, archive.Dir)
	}
	client(0).Until(order, "active")
	var ledger []struct{ Kind string }
	client(1).Expect(200, "GET", "wallet/transactions/", nil).Into(t, &ledger)
	require.Len(t, ledger, 3, "credit, hold, capture")
	require.Zero(t, client(2).Wallet().Held)

	var page struct{ Results []struct{ ID int64 } }
	client(0).Expect(200, "GET", "cultivation/?page=all", nil).Into(t, &page)
	require.Len(t, page.Results, 20)
	for i, one := range page.Results {
		wg.Go(func() { client(i).Do("DELETE", "cultivation/"+rig.Itoa(one.ID)+"/", nil) })
	}
	wg.Wait()
	client(0).Expect(200, "GET", "cultivation/", nil).Into(t, &page)
	require.Len(t, page.Results, 1)
}

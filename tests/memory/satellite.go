package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/monitoring"
	"tilth/core/vegetation"
	"tilth/ports"
)

// purse is the money of companies.
type purse struct {
	noWallet
	wallets map[int64]credit.Wallet
	ledger  []credit.Transaction
	charges map[credit.Site]credit.FieldCharge
	prices  map[string]credit.Amount // by service
}

type noWallet struct{ ports.Wallet }

func (w *World) addSatellite() {
	p := &purse{wallets: map[int64]credit.Wallet{}, charges: map[credit.Site]credit.FieldCharge{}, prices: map[string]credit.Amount{}}
	w.saves = append(w.saves, func() func() {
		wallets, ledger, charges := maps.Clone(p.wallets), slices.Clone(p.ledger), maps.Clone(p.charges)
		return func() { p.wallets, p.ledger, p.charges = wallets, ledger, charges }
	})
	w.repos.Wallet = p
	o := &orders{
		table:  newTable(w, "order", func(r *vegetation.OrderState) (id, company *int64) { return &r.ID, &r.CompanyID }),
		series: map[read]vegetation.Series{}, derivations: map[read]vegetation.Derivation{},
	}
	w.saves = append(w.saves, func() func() {
		series, derivations := maps.Clone(o.series), maps.Clone(o.derivations)
		return func() { o.series, o.derivations = series, derivations }
	})
	w.repos.Orders = o
	w.repos.Maps = w.newFieldMaps()
	m := &monitors{byOrder: map[int64]monitoring.Monitor{}}
	w.saves = append(w.saves, func() func() {
		kept := maps.Clone(m.byOrder)
		return func() { m.byOrder = kept }
	})
	w.repos.Monitors, w.repos.Alerts = m, noAlerts{}
}

// noAlerts implements ports.AlertBox: no test of a use case reads the daily e-mails.
type noAlerts struct{}

func (noAlerts) Put(context.Context, access.Scope, ...ports.AlertNotice) error { return nil }

// noMonitors are the methods that no test of a use case needs.
type noMonitors struct{ ports.Monitors }

// monitors implements ports.Monitors; orders belong to one company as long as no test needs more.
type monitors struct {
	noMonitors
	byOrder map[int64]monitoring.Monitor
}

func (m *monitors) Get(_ context.Context, _ access.Scope, orderID int64) (monitoring.Monitor, error) {
	one, ok := m.byOrder[orderID]
	if !ok {
		return one, fault.Missing("monitor")
	}
	return one, nil
}

func (m *monitors) Put(_ context.Context, _ access.Scope, all ...monitoring.Monitor) error {
	for _, one := range all {
		m.byOrder[one.OrderID] = one
	}
	return nil
}

func (m *monitors) Remove(_ context.Context, _ access.Scope, orderID int64) error {
	if _, ok := m.byOrder[orderID]; !ok {
		return fault.Missing("monitor")
	}
	delete(m.byOrder, orderID)
	return nil
}

// Credit adds credit to the wallet of a company.
func (w *World) Credit(company int64, amount credit.Amount) {
	p := w.repos.Wallet.(*purse)
	p.wallets[company] = credit.Wallet{CompanyID: company, Balance: p.wallets[company].Balance + amount, Held: p.wallets[company].Held}
}

// Ledger returns the transactions of all companies.
func (w *World) Ledger() []credit.Transaction { return w.repos.Wallet.(*purse).ledger }

func (p *purse) Lock(ctx context.Context, scope access.Scope) (credit.Wallet, error) {
	return p.Get(ctx, scope)
}

func (p *purse) Get(_ context.Context, scope access.Scope) (credit.Wallet, error) {
	wallet := p.wallets[scope.Company()]
	wallet.CompanyID = scope.Company()
	return wallet, nil
}

func (p *purse) Post(_ context.Context, scope access.Scope, wallet credit.Wallet, tx *credit.Transaction) error {
	tx.ID = int64(len(p.ledger) + 1)
	p.wallets[scope.Company()] = wallet
	p.ledger = append(p.ledger, *tx)
	return nil
}

func (p *purse) Price(_ context.Context, service string) (credit.Amount, bool, error) {
	price, ok := p.prices[service]
	return price, ok, nil
}

func (p *purse) FieldCharge(_ context.Context, scope access.Scope, of credit.Site) (credit.FieldCharge, error) {
	charge, ok := p.charges[of]
	if !ok || charge.CompanyID != scope.Company() {
		return credit.FieldCharge{}, fault.Missing("charge")
	}
	return charge, nil
}

func (p *purse) ClaimFieldCharge(_ context.Context, _ access.Scope, charge credit.FieldCharge) (bool, error) {
	if _, ok := p.charges[charge.Site]; ok {
		return false, nil
	}
	p.charges[charge.Site] = charge
	return true, nil
}

func (p *purse) PutFieldCharge(_ context.Context, _ access.Scope, charge credit.FieldCharge) error {
	if was := p.charges[charge.Site]; was.Captured && !was.Of(charge.Product, charge.OrderID) {
		return fault.New(fault.Conflict, "field_charged", "The field was charged for another order.")
	}
	p.charges[charge.Site] = charge
	return nil
}

func (p *purse) DropFieldCharge(_ context.Context, _ access.Scope, of credit.Site) error {
	delete(p.charges, of)
	return nil
}

func (p *purse) PaidLand(context.Context, access.Scope, int64) (int64, error) { return 0, nil }

type noOrders struct{ ports.ProfileOrders }

// rest is what table does not implement; it is embedded one level deeper, so that table's methods win.
type rest struct{ noOrders }

type orders struct {
	rest
	*table[vegetation.OrderState]
	series      map[read]vegetation.Series
	derivations map[read]vegetation.Derivation
}

// read is an order in a reading. Outlines are left to the database.
type read struct {
	order int64
	vegetation.Reading
}

func open(o vegetation.OrderState) bool {
	order := vegetation.RehydrateOrder(o)
	return order.Open()
}

func (o *orders) FindForUpdate(ctx context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error) {
	return o.Find(ctx, scope, fieldID, seasonID)
}

func (o *orders) Find(_ context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error) {
	for _, order := range o.all(scope, func(r vegetation.OrderState) bool { return r.FieldID == fieldID && r.SeasonID == seasonID }) {
		return order, nil
	}
	return vegetation.OrderState{}, fault.Missing("order")
}

func (o *orders) OpenOfFields(_ context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error) {
	return o.ids(scope, func(r vegetation.OrderState) bool { return open(r) && slices.Contains(fieldIDs, r.FieldID) }), nil
}

func (o *orders) OpenOfSeason(_ context.Context, scope access.Scope, seasonID int64) ([]int64, error) {
	return o.ids(scope, func(r vegetation.OrderState) bool { return open(r) && r.SeasonID == seasonID }), nil
}

func (o *orders) ActiveOfSeason(_ context.Context, scope access.Scope, seasonID int64) (bool, error) {
	return len(o.ids(scope, func(r vegetation.OrderState) bool { return r.Status == vegetation.Active && r.SeasonID == seasonID })) > 0, nil
}

func (o *orders) Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error {
	if _, err := o.Find(ctx, access.Own(scope.Company()), order.FieldID, order.SeasonID); err == nil {
		return fault.New(fault.Conflict, "order_exists", "There is an order of this field and season.")
	}
	return o.table.Insert(ctx, scope, []*vegetation.OrderState{order})
}

func (o *orders) Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error {
	return o.table.Update(ctx, scope, &order)
}

func (o *orders) PutSeries(ctx context.Context, scope access.Scope, id int64, series vegetation.Series) error {
	_, err := o.Get(ctx, scope, id)
	if err == nil {
		o.series[read{id, series.Reading()}] = series
	}
	return err
}

func (o *orders) Series(ctx context.Context, scope access.Scope, id int64, reading vegetation.Reading) (vegetation.Series, error) {
	_, err := o.Get(ctx, scope, id)
	return o.series[read{id, reading}], err
}

func (o *orders) Readings(ctx context.Context, scope access.Scope, id int64) (out []vegetation.Reading, err error) {
	_, err = o.Get(ctx, scope, id)
	for of := range o.series {
		if err == nil && of.order == id {
			out = append(out, of.Reading)
		}
	}
	slices.SortFunc(out, func(a, b vegetation.Reading) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return out, err
}

func (o *orders) Derivation(_ context.Context, _ access.Scope, id int64, reading vegetation.Reading) (vegetation.Derivation, bool, error) {
	d, ok := o.derivations[read{id, reading}]
	return d, ok, nil
}

func (o *orders) PutDerivation(ctx context.Context, scope access.Scope, d vegetation.Derivation) error {
	_, err := o.Get(ctx, scope, d.OrderID)
	if err == nil {
		o.derivations[read{d.OrderID, d.Reading}] = d
	}
	return err
}

func (o *orders) CountDerivations(_ context.Context, _ access.Scope, id int64) (n int64, err error) {
	for of := range o.derivations {
		if of.order == id {
			n++
		}
	}
	return n, nil
}

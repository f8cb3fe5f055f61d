// Package credit is the arithmetic of wallets: prices, charges, and the double-entry
// postings of credit, hold, capture, release and refund. Amounts are whole hundredths of a
// credit, rounded up. It stores nothing.
package credit

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"tilth/core/fault"
)

// Amount is an amount in hundredths of a credit.
type Amount int64

// MaxAmount bounds a single amount, far below overflow of sums.
const MaxAmount Amount = 1_000_000_000_000_00

// String returns the amount as a number of credits with two decimals ("12.50").
func (a Amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	return fmt.Sprintf("%s%d.%02d", sign, a/100, a%100)
}

// Float returns the amount in credits, for JSON; exact to the hundredth up to 2^53.
func (a Amount) Float() float64 { return float64(a) / 100 }

// ParseAmount reads "12", "12.5" or "12.50": a positive amount of at most two decimals.
func ParseAmount(text string) (Amount, error) {
	bad := fault.Field("amount", fmt.Sprintf("%q is not an amount of credits: write a number above 0 with at most two decimals, such as 250 or 12.50.", text))
	whole, frac, _ := strings.Cut(text, ".")
	if whole == "" || len(frac) > 2 || strings.HasSuffix(text, ".") {
		return 0, bad
	}
	for len(frac) < 2 {
		frac += "0"
	}
	n := new(big.Int)
	for _, r := range whole + frac {
		if r < '0' || r > '9' {
			return 0, bad
		}
	}
	n.SetString(whole+frac, 10)
	if n.Sign() <= 0 || n.Cmp(big.NewInt(int64(MaxAmount))) > 0 {
		return 0, bad
	}
	return Amount(n.Int64()), nil
}

// Product is what can be charged for.
type Product string

// The five satellite products: a field is charged once over all of them.
const (
	VegetationIndexProfile Product = "vegetation_index_profile"
	VegetationIndexMap     Product = "vegetation_index_map"
	ZoningMap              Product = "zoning_map"
	SoilMap                Product = "soil_map"
	ElevationMap           Product = "elevation_map"
)

// Products lists them.
var Products = []Product{VegetationIndexProfile, VegetationIndexMap, ZoningMap, SoilMap, ElevationMap}

// Stratification is the zones and plans of an area of interest. It is not a satellite
// product: each order charges the area, whatever was charged for its fields.
const Stratification Product = "stratification"

// Services with a price per hectare: the satellite products (a profile costs 1.00 by default; a map without a price has
// that of the profile), and the two stratification map types (no default).
const (
	ServiceProfile = string(VegetationIndexProfile)
	ServiceSTR     = "STR"
	ServiceSOC     = "SOC"
)

// Services lists the services that `tilth price set` accepts.
var Services = []string{
	ServiceProfile, string(VegetationIndexMap), string(ZoningMap), string(SoilMap), string(ElevationMap), ServiceSTR, ServiceSOC,
}

// DefaultProfilePrice is the price of a profile per hectare until one is set.
const DefaultProfilePrice Amount = 1_00

// Charge is price per hectare × area, rounded up to the hundredth. The area is in whole square metres: it is exact.
func Charge(perHectare Amount, areaM2 int64) Amount {
	n := new(big.Int).Mul(big.NewInt(int64(perHectare)), big.NewInt(areaM2))
	q, r := new(big.Int).QuoRem(n, big.NewInt(10_000), new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return Amount(q.Int64())
}

// Kind is the kind of a ledger transaction.
type Kind string

// The kinds of the ledger.
const (
	Credit  Kind = "credit"  // the operator adds credits
	Hold    Kind = "hold"    // set aside for an open order
	Capture Kind = "capture" // a held amount is spent
	Release Kind = "release" // a held amount is available again
	Refund  Kind = "refund"  // a spent amount is returned
)

// Kinds lists them.
var Kinds = []Kind{Credit, Hold, Capture, Release, Refund}

// Account is one side of a posting.
type Account string

// The accounts: two of the wallet, two of the house.
const (
	Available Account = "wallet:available"
	Held      Account = "wallet:held"
	Funding   Account = "house:funding"
	Revenue   Account = "house:revenue"
)

// Entry is one line of a transaction; the entries of a transaction sum to zero.
type Entry struct {
	Account Account
	Amount  Amount
}

// Entries returns the two lines of a transaction.
func Entries(kind Kind, amount Amount) []Entry {
	from, to := Funding, Available
	switch kind {
	case Hold:
		from, to = Available, Held
	case Capture:
		from, to = Held, Revenue
	case Release:
		from, to = Held, Available
	case Refund:
		from, to = Revenue, Available
	}
	return []Entry{{from, -amount}, {to, amount}}
}

// Transaction is a line of a company's ledger.
type Transaction struct {
	ID        int64
	CompanyID int64
	CreatedAt time.Time
	Kind      Kind
	Amount    Amount
	Product   Product // empty for credit
	FieldID   int64   // 0: none
	OrderID   int64   // 0: none
	RefundOf  int64   // of a refund: the capture it returns; else 0
	Note      string
}

// Wallet is the credit of a company. Balance includes what is held.
type Wallet struct {
	CompanyID int64
	Balance   Amount
	Held      Amount
}

// Available returns what may be spent.
func (w Wallet) Available() Amount { return w.Balance - w.Held }

// Apply returns the wallet after a transaction. It refuses (PaymentRequired) to hold
// more than is available, and (Internal) what would make held or balance negative.
func (w Wallet) Apply(kind Kind, amount Amount) (Wallet, error) {
	if amount < 0 || amount > MaxAmount {
		return w, fault.Newf(fault.Internal, "ledger", "amount %s out of range", amount)
	}
	if !slices.Contains(Kinds, kind) {
		return w, fault.Newf(fault.Internal, "ledger", "unknown kind %q", kind)
	}
	if kind == Hold && amount > w.Available() {
		return w, Insufficient(amount, w.Available())
	}
	next := w.After(Transaction{Kind: kind, Amount: amount})
	if next.Held < 0 || next.Balance < next.Held {
		return w, fault.Newf(fault.Internal, "ledger", "%s of %s on balance %s, held %s", kind, amount, w.Balance, w.Held)
	}
	return next, nil
}

// Insufficient refuses to hold more than is available.
func Insufficient(required, available Amount) error {
	return fault.Newf(fault.PaymentRequired, "insufficient_credit",
		"Not enough credit: %s required, %s available.", required, available).
		With("required", required.Float()).With("available", available.Float())
}

// Site is what is charged once over the five satellite products: a field or, for an order without one, an outline by
// the digest of its content.
type Site struct {
	FieldID int64
	Outline string // where FieldID is 0
}

// Note returns what the ledger states as charged where it is not a field.
func (s Site) Note() string {
	if s.FieldID != 0 {
		return ""
	}
	return "outline " + s.Outline
}

// FieldCharge is the one charge of a site over the five satellite products: held
// while its order is open, captured for good on the first success.
type FieldCharge struct {
	CompanyID int64
	Site
	OrderID  int64 // the order of the product that holds it now
	Product  Product
	Amount   Amount
	Captured bool
}

// Of reports whether the charge is that of an order of a product.
func (c FieldCharge) Of(product Product, order int64) bool {
	return c.Product == product && c.OrderID == order
}

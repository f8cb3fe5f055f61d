package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/core/credit"
	"tilth/ports"
)

// walletOf returns a wallet as --json prints it.
func walletOf(company int64, w credit.Wallet) record {
	return record{
		{"company", company}, {"balance", w.Balance.Float()}, {"held", w.Held.Float()}, {"available", w.Available().Float()}, {"unit", "credit"},
	}
}

// printWallet prints a wallet, unless the use case that changed or read it failed.
func (s *shell) printWallet(err error, company int64, w credit.Wallet) error {
	return s.answer(err, walletOf(company, w), "company %d: balance %s, held %s, available %s credits", company, w.Balance, w.Held, w.Available())
}

func (s *shell) walletShow() *cobra.Command {
	var company int64
	c := s.action("show", "Print a company's wallet", func(ctx context.Context, op *operating.Operating) error {
		w, err := op.Wallet(ctx, company)
		return s.printWallet(err, company, w)
	})
	c.Flags().Int64Var(&company, "company", 0, "id of the company")
	return required(c, "company")
}

func (s *shell) walletRefund() *cobra.Command {
	var in operating.RefundWanted
	var amount string
	c := &cobra.Command{
		Use: "refund", Short: "Refund a captured charge, once",
		Long: `Refund a captured charge: all of it, or the part that --amount names. A capture is
refunded once. A refund returns credits and nothing else: the field still counts as
charged, its profiles stay, and further orders on it cost nothing.`,
		Example: "  tilth wallet transactions --company 1\n  tilth wallet refund --company 1 --transaction 17 --note \"hail, agreed on the phone\"",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if amount != "" {
				if in.Amount, err = credit.ParseAmount(amount); err != nil {
					return err
				}
			}
			return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
				w, refund, err := op.Refund(ctx, in)
				return s.answer(err, append(transactionOf(refund), member{"wallet", walletOf(in.CompanyID, w)}),
					"refunded %s credits of transaction %d; company %d: balance %s, held %s, available %s credits",
					refund.Amount, in.Transaction, in.CompanyID, w.Balance, w.Held, w.Available())
			})
		},
	}
	f := c.Flags()
	f.Int64Var(&in.CompanyID, "company", 0, "id of the company")
	f.Int64Var(&in.Transaction, "transaction", 0, "id of the capture, as the command tilth wallet transactions lists it")
	f.StringVar(&amount, "amount", "", "credits, at most those captured (default: all of them)")
	f.StringVar(&in.Note, "note", "", "reason; it is shown in the ledger")
	return required(c, "company", "transaction")
}

// transactionOf returns a line of the ledger as --json prints it: the record of the interface.
func transactionOf(t credit.Transaction) record {
	return record{
		{"id", t.ID}, {"created_at", t.CreatedAt}, {"kind", t.Kind}, {"amount", t.Amount.Float()}, {"product", optional(t.Product)},
		{"field", optional(t.FieldID)}, {"order", optional(t.OrderID)}, {"refund_of", optional(t.RefundOf)}, {"note", t.Note},
	}
}

func (s *shell) walletTransactions() *cobra.Command {
	var company, limit int64
	c := limited(&cobra.Command{
		Use: "transactions", Short: "Print a company's ledger, newest first",
		Long: "Print a company's ledger, newest first; with --json, one object per line.",
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			return listed(op.Transactions(ctx, company, ports.Query{Limit: limit}))(func(t credit.Transaction) error {
				return s.print(transactionOf(t), "%s", ledgerLine(t))
			})
		}),
	}, &limit, 50, "number of the newest to print; 0: all")
	c.Flags().Int64Var(&company, "company", 0, "id of the company")
	return required(c, "company")
}

func (s *shell) walletStatement() *cobra.Command {
	var company int64
	var first, last string
	c := &cobra.Command{
		Use: "statement", Short: "Print the statement of a company's wallet as CSV",
		Long: `Print the statement of a company's wallet as CSV: the opening balance of the span, every
transaction in it, oldest first, and the closing balance. Times are UTC.`,
		Example: "  tilth wallet statement --company 1 --from 2026-01-01 --to 2026-03-31",
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := optionalDay("from", first)
			if err != nil {
				return err
			}
			to, err := optionalDay("to", last)
			if err != nil {
				return err
			}
			return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
				write, err := op.Statement(ctx, company, ports.CSV, from, to)
				if err != nil {
					return err
				}
				return write(s.Out)
			})
		},
	}
	c.Flags().Int64Var(&company, "company", 0, "id of the company")
	c.Flags().StringVar(&first, "from", "", "first day, YYYY-MM-DD, UTC (default: the wallet's first)")
	c.Flags().StringVar(&last, "to", "", "last day, YYYY-MM-DD, UTC (default: until now)")
	return required(c, "company")
}

// optionalDay reads a day of a flag that may be left out.
func optionalDay(flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	date, err := day(flag, text)
	return &date, err
}

func ledgerLine(t credit.Transaction) string {
	line := fmt.Sprintf("%-8d %s  %-8s %12s", t.ID, t.CreatedAt.Format(time.RFC3339), t.Kind, t.Amount)
	if t.Product != "" {
		line += "  " + string(t.Product)
		if t.FieldID != 0 {
			line += fmt.Sprintf(", field %d", t.FieldID)
		}
		line += fmt.Sprintf(", order %d", t.OrderID)
	}
	if t.RefundOf != 0 {
		line += fmt.Sprintf(", of transaction %d", t.RefundOf)
	}
	if t.Note != "" {
		line += "  " + t.Note
	}
	return strings.TrimRight(line, " ")
}

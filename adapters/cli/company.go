package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/ports"
)

func (s *shell) company() *cobra.Command {
	var name string
	create := s.action("create", "Create a company, with roles owner, editor and viewer", func(ctx context.Context, op *operating.Operating) error {
		c, err := op.CreateCompany(ctx, name)
		return s.answer(err, record{{"id", c.ID}, {"uuid", c.UUID}, {"name", c.Name}}, "company %d: %s (%s)", c.ID, c.Name, c.UUID)
	})
	create.Flags().StringVar(&name, "name", "", "name of the company")
	var id int64
	show := s.action("show", "Show a company with its wallet and its subscriptions", func(ctx context.Context, op *operating.Operating) error {
		c, err := op.CompanySeen(ctx, id)
		if err != nil {
			return err
		}
		return s.printCompany(c)
	})
	rename := s.action("rename", "Give a company another name", func(ctx context.Context, op *operating.Operating) error {
		c, err := op.RenameCompany(ctx, id, name)
		if err != nil {
			return err
		}
		return s.printCompany(c)
	})
	for _, c := range []*cobra.Command{show, rename} {
		c.Flags().Int64Var(&id, "company", 0, "id of the company")
	}
	rename.Flags().StringVar(&name, "name", "", "its new name")
	var limit int64
	list := limited(s.action("list", "List the companies with their wallets and subscriptions", func(ctx context.Context, op *operating.Operating) error {
		return listed(op.Companies(ctx, ports.Query{Limit: limit}))(s.printCompany)
	}), &limit, 100, "number of companies to print; 0: all")
	return group("company", "Companies: the tenants", list, required(show, "company"), required(create, "name"), required(rename, "company", "name"),
		s.exportCompany(), s.importCompany())
}

func (s *shell) printCompany(c ports.CompanySeen) error {
	services := each(c.Subscriptions, func(s ports.Subscription) string { return string(s.Service) + " " + untilOf(s) })
	return s.print(record{
		{"id", c.ID}, {"uuid", c.UUID}, {"name", c.Name}, {"created_at", c.CreatedAt}, {"users", c.Users},
		{"wallet", walletOf(c.ID, c.Wallet)}, {"subscriptions", each(c.Subscriptions, subscriptionOf)},
	}, "%s", strings.TrimRight(fmt.Sprintf("%6d  %-32s  %s  %4d users  %12s credits  %s", c.ID, c.Name, c.UUID, c.Users, c.Wallet.Balance, strings.Join(services, ", ")), " "))
}

// subscriptionOf returns a subscription as --json prints it.
func subscriptionOf(s ports.Subscription) record {
	return record{{"company", s.CompanyID}, {"granted_at", s.GrantedAt}, {"service", s.Service}, {"until", dayOf(s.Until)}}
}

// dayOf returns a civil date as text; nil for none.
func dayOf(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return optional(t.Format(time.DateOnly))
}

func untilOf(s ports.Subscription) string {
	if s.Until == nil {
		return "without an end date"
	}
	return "until " + s.Until.Format(time.DateOnly)
}

func (s *shell) listSubscriptions() *cobra.Command {
	var company int64
	c := s.action("list", "List the subscriptions of a company", func(ctx context.Context, op *operating.Operating) error {
		all, err := op.Subscriptions(ctx, company)
		for i := 0; err == nil && i < len(all); i++ {
			err = s.print(subscriptionOf(all[i]), "%-16s %s, granted %s", all[i].Service, untilOf(all[i]), all[i].GrantedAt.UTC().Format(time.RFC3339))
		}
		return err
	})
	c.Flags().Int64Var(&company, "company", 0, "id of the company")
	return required(c, "company")
}

package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/account"
	"tilth/app/operating"
	"tilth/core/credit"
	"tilth/ports"
)

func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short}
	c.AddCommand(commands...)
	return c
}

func (s *shell) token() *cobra.Command {
	var email string
	var ttl time.Duration
	create := s.action("create", "Print an access token for a user", func(ctx context.Context, op *operating.Operating) error {
		token, err := op.CreateToken(ctx, email, ttl)
		return s.answer(err, record{{"access", token}, {"expires_in", int64(ttl.Seconds())}}, "%s", token)
	})
	create.Flags().StringVar(&email, "user", "", "e-mail address of the user")
	create.Flags().DurationVar(&ttl, "ttl", 24*time.Hour, "how long it is valid")
	return group("token", "Access tokens", required(create, "user"))
}

func (s *shell) wallet() *cobra.Command {
	var company int64
	var amount, note string
	put := &cobra.Command{Use: "credit", Short: "Put credits into a company's wallet", RunE: func(cmd *cobra.Command, _ []string) error {
		a, err := credit.ParseAmount(amount)
		if err != nil {
			return err
		}
		return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
			w, err := op.CreditWallet(ctx, company, a, note)
			return s.printWallet(err, company, w)
		})
	}}
	f := put.Flags()
	f.Int64Var(&company, "company", 0, "id of the company")
	f.StringVar(&amount, "amount", "", "credits, at most two decimals")
	f.StringVar(&note, "note", "", "reason; it is shown in the ledger")
	return group("wallet", "Credit of the companies", required(put, "company", "amount"), s.walletShow(), s.walletRefund(), s.walletTransactions(), s.walletStatement())
}

func (s *shell) price() *cobra.Command {
	var service, perHa string
	set := &cobra.Command{Use: "set", Short: "Set the price of a service per hectare", RunE: func(cmd *cobra.Command, _ []string) error {
		a, err := credit.ParseAmount(perHa)
		if err != nil {
			return err
		}
		return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
			err := op.SetPrice(ctx, service, a)
			return s.answer(err, record{{"per_ha", a.Float()}, {"service", service}}, "%s: %s credits per hectare", service, a)
		})
	}}
	set.Flags().StringVar(&service, "service", "", strings.Join(credit.Services, ", "))
	set.Flags().StringVar(&perHa, "per-ha", "", "credits per hectare, at most two decimals")
	list := s.action("list", "List the prices of the services per hectare", func(ctx context.Context, op *operating.Operating) error {
		all, err := op.Prices(ctx)
		for i := 0; err == nil && i < len(all); i++ {
			err = s.printPrice(all[i])
		}
		return err
	})
	return group("price", "Prices of the services", list, required(set, "service", "per-ha"))
}

func (s *shell) printPrice(p ports.Price) error {
	switch {
	case p.PerHa == 0:
		return s.print(record{{"per_ha", nil}, {"service", p.Service}, {"set_at", nil}}, "%-8s no price: it cannot be ordered", p.Service)
	case p.SetAt.IsZero():
		return s.print(record{{"per_ha", p.PerHa.Float()}, {"service", p.Service}, {"set_at", nil}}, "%-8s %s credits per hectare, the default", p.Service, p.PerHa)
	}
	return s.print(record{{"per_ha", p.PerHa.Float()}, {"service", p.Service}, {"set_at", p.SetAt}},
		"%-8s %s credits per hectare, since %s", p.Service, p.PerHa, p.SetAt.UTC().Format(time.RFC3339))
}

func (s *shell) crop() *cobra.Command {
	load := &cobra.Command{Use: "import FILE.csv", Short: "Add or change crops of the shared catalog, by their slug", Args: cobra.ExactArgs(1)}
	load.RunE = func(cmd *cobra.Command, args []string) error {
		crops, err := readFile(args[0], s.program.ReadCrops)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
			total, err := op.ImportCrops(ctx, crops)
			return s.answer(err, record{{"imported", len(crops)}, {"total", total}}, "%d crops read, %d in the catalog", len(crops), total)
		})
	}
	return group("crop", "The crop catalog, shared by all companies", load)
}

func (s *shell) apiKey() *cobra.Command {
	var email string
	var in account.KeyRequest
	var ttl time.Duration
	create := &cobra.Command{Use: "create", Short: "Create an API key for a user and print it, only once"}
	create.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("ttl") {
			ends := time.Now().UTC().Add(ttl)
			in.ExpiresAt = &ends
		}
		return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
			key, text, err := op.CreateAPIKey(ctx, email, in)
			out := record{{"id", key.ID}, {"name", key.Name}, {"prefix", key.Prefix}, {"key", text}, {"expires_at", key.ExpiresAt}}
			return s.answer(err, out, "%s", text)
		})
	}
	f := create.Flags()
	f.StringVar(&email, "user", "", "e-mail address of the user it acts as")
	f.StringVar(&in.Name, "name", "", "what the key is for")
	f.StringSliceVar(&in.Slugs, "slug", nil, "what it permits, as field.view, field.* or *.view (default: all that its user may do)")
	f.DurationVar(&ttl, "ttl", 0, "how long it is valid (default: until it is revoked)")
	return group("api-key", "Credentials for programs", required(create, "user", "name"))
}

func (s *shell) engine() *cobra.Command {
	var company int64
	var choice ports.EngineChoice
	set := &cobra.Command{
		Use: "set", Short: "Choose the engine and the factor set for a company's results",
		Long: `Chooses the calculation engine and the factor set of a company. What is omitted is the
default: the built-in engine, and its newest factor set. Submitted versions keep the
figures, the engine and the factors they were computed with; the next submission of each
assessment uses the new ones. An external engine must be configured (TILTH_ENGINE_URL).`,
		Example: "  tilth engine set --company 1 --engine ipcc2019-tier1-ar6 --factor-set ipcc2006_ar5",
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			return s.printEngine(op.ChooseEngine(ctx, company, choice), company, choice)
		}),
	}
	show := s.action("show", "Show the engine and the factor set of a company", func(ctx context.Context, op *operating.Operating) error {
		chosen, err := op.EngineChoice(ctx, company)
		return s.printEngine(err, company, chosen)
	})
	for _, c := range []*cobra.Command{set, show} {
		c.Flags().Int64Var(&company, "company", 0, "id of the company")
	}
	set.Flags().StringVar(&choice.Engine, "engine", "", "id of the engine (default: the built-in one)")
	set.Flags().StringVar(&choice.FactorSet, "factor-set", "", "id of the factor set (default: the engine's own)")
	return group("engine", "Calculation engines of the companies", required(set, "company"), required(show, "company"))
}

func (s *shell) printEngine(err error, company int64, choice ports.EngineChoice) error {
	return s.answer(err, record{{"company", company}, {"engine", choice.Engine}, {"factor_set", choice.FactorSet}},
		"company %d: engine %s, factor set %s", company, cmp.Or(choice.Engine, "default"), cmp.Or(choice.FactorSet, "default"))
}

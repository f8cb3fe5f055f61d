package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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

func (s *shell) company() *cobra.Command {
	var name string
	create := s.action("create", "Create a company, with roles owner, editor and viewer", func(ctx context.Context, op *operating.Operating) error {
		c, err := op.CreateCompany(ctx, name)
		return s.answer(err, record{{"id", c.ID}, {"uuid", c.UUID}, {"name", c.Name}}, "company %d: %s (%s)", c.ID, c.Name, c.UUID)
	})
	create.Flags().StringVar(&name, "name", "", "name of the company")
	return group("company", "Companies: the tenants", required(create, "name"))
}

func (s *shell) user() *cobra.Command {
	var in operating.NewUser
	var stdin bool
	create := &cobra.Command{Use: "create", Short: "Create a user of a company, or an operator", RunE: func(cmd *cobra.Command, _ []string) error {
		if stdin {
			line, err := bufio.NewReader(s.In).ReadString('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if in.Password = strings.TrimRight(line, "\r\n"); in.Password == "" {
				return usageError{errors.New("--password-stdin: no password on standard input")}
			}
		}
		return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
			u, err := op.CreateUser(ctx, in)
			return s.answer(err, record{
				{"id", u.ID}, {"email", u.Email}, {"name", u.Name}, {"company", u.CompanyID}, {"role", in.Role}, {"operator", in.Operator},
			}, "user %d: %s", u.ID, u.Email)
		})
	}}
	f := create.Flags()
	f.Int64Var(&in.CompanyID, "company", 0, "id of the company")
	f.StringVar(&in.Email, "email", "", "e-mail address, the name to sign in with")
	f.StringVar(&in.Name, "name", "", "full name (default: the part before the @)")
	f.StringVar(&in.Role, "role", "", "owner, editor, viewer or a role of the company's own")
	f.BoolVar(&in.Operator, "operator", false, "an operator: belongs to no company")
	f.BoolVar(&stdin, "password-stdin", false, "read the password from standard input; without it the user has none")

	var email string
	disable := s.action("disable", "Revoke a user's access from the next request on", func(ctx context.Context, op *operating.Operating) error {
		u, err := op.DisableUser(ctx, email)
		return s.answer(err, record{{"disabled", u.Disabled}, {"email", u.Email}, {"id", u.ID}}, "user %d: %s is disabled", u.ID, u.Email)
	})
	disable.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	unbind := s.action("unbind", "Let a user sign in as another subject of the OpenID Connect issuer", func(ctx context.Context, op *operating.Operating) error {
		u, n, err := op.UnbindUser(ctx, email)
		if err != nil {
			return err
		}
		return s.print(map[string]any{"id": u.ID, "email": u.Email, "unbound": n}, "user %d: %s was bound to %d subjects, and is to none", u.ID, u.Email, n)
	})
	unbind.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	return group("user", "Users and operators", required(create, "email"), required(disable, "email"), required(unbind, "email"),
		s.exportUser(), s.eraseUser())
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
	return group("wallet", "Credit of the companies", required(put, "company", "amount"), s.walletShow(), s.walletRefund(), s.walletTransactions())
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
	return group("price", "Prices of the services", required(set, "service", "per-ha"))
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
	create := &cobra.Command{Use: "create", Short: "Create an API key of a user and print it, only once"}
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

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/account"
	"tilth/app/operating"
	"tilth/ports"
)

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

	return group("user", "Users and operators", s.listUsers(),
		s.onUser("show", "Show a user", (*operating.Operating).Account, s.printUser),
		required(create, "email"),
		s.onUser("disable", "Revoke a user's access from the next request on", disabling(true), s.printUser),
		s.onUser("enable", "Restore a disabled user's access", disabling(false), s.printUser),
		s.linkPassword(), s.unbindUser(), s.exportUser(), s.eraseUser())
}

func disabling(disabled bool) func(op *operating.Operating, ctx context.Context, id int64) (ports.Account, error) {
	return func(op *operating.Operating, ctx context.Context, id int64) (ports.Account, error) {
		return op.SetDisabled(ctx, id, disabled)
	}
}

// onUser is a command that does one thing with the user of --email.
func (s *shell) onUser(verb, short string, do func(op *operating.Operating, ctx context.Context, id int64) (ports.Account, error), show func(ports.Account) error) *cobra.Command {
	var email string
	c := s.action(verb, short, func(ctx context.Context, op *operating.Operating) error {
		user, err := op.User(ctx, email)
		if err != nil {
			return err
		}
		account, err := do(op, ctx, user.ID)
		if err != nil {
			return err
		}
		return show(account)
	})
	c.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	return required(c, "email")
}

func (s *shell) printUser(u ports.Account) error {
	of, state := fmt.Sprintf("company %d", u.CompanyID), "enabled"
	if u.CompanyID == 0 {
		of = "operator"
	}
	if u.Disabled {
		state = "disabled"
	}
	return s.print(record{
		{"id", u.ID}, {"email", u.Email}, {"name", u.Name}, {"company", optional(u.CompanyID)}, {"roles", u.Roles}, {"operator", u.CompanyID == 0},
		{"disabled", u.Disabled}, {"password", u.Password}, {"created_at", u.CreatedAt},
	}, "%6d  %-8s  %-12s  %s  %s", u.ID, state, of, u.Email, strings.Join(u.Roles, ","))
}

func (s *shell) listUsers() *cobra.Command {
	var company, limit int64
	var operators bool
	c := limited(&cobra.Command{
		Use: "list", Short: "List users: of a company, operators, or all",
		Example: "  tilth user list --company 1\n  tilth user list --operators --json",
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			q := ports.Query{Limit: limit, Filters: slices.Concat(filter("company", company), filter("operator", operators))}
			return listed(op.Users(ctx, q))(s.printUser)
		}),
	}, &limit, 100, "number of users to print; 0: all")
	c.Flags().Int64Var(&company, "company", 0, "id of the company (default: all)")
	c.Flags().BoolVar(&operators, "operators", false, "only operators")
	return c
}

func (s *shell) linkPassword() *cobra.Command {
	var email string
	c := &cobra.Command{
		Use: "password-link", Short: "Print a link that sets a new password for a user, once",
		Long: `Print a link that sets a new password for a user, once within an hour. Earlier links end; the
current password stays valid until then. It leads to TILTH_PUBLIC_URL; where that is not set,
to TILTH_ADDR.`,
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			user, err := op.User(ctx, email)
			if err != nil {
				return err
			}
			out, err := op.LinkPassword(ctx, user.ID)
			link := s.cfg.Base(s.cfg.Addr) + account.ResetPage + out.Token
			return s.answer(err, record{{"id", user.ID}, {"link", link}, {"expires_at", out.ExpiresAt.UTC().Format(time.RFC3339)}}, "%s", link)
		}),
	}
	c.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	return required(c, "email")
}

func (s *shell) unbindUser() *cobra.Command {
	var email string
	unbind := s.action("unbind", "Let a user sign in as another subject of the OpenID Connect issuer", func(ctx context.Context, op *operating.Operating) error {
		u, n, err := op.UnbindUser(ctx, email)
		if err != nil {
			return err
		}
		return s.print(map[string]any{"id": u.ID, "email": u.Email, "unbound": n}, "user %d: %s was bound to %d subjects, and is now bound to none", u.ID, u.Email, n)
	})
	unbind.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	return required(unbind, "email")
}

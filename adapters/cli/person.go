package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/core/fault"
)

func (s *shell) exportUser() *cobra.Command {
	var email string
	export := &cobra.Command{
		Use: "export", Short: "Print everything that is stored about a person, as JSON",
		Long: `Print everything that is stored about a person, as JSON: the account with its roles, sessions,
keys, invitations and letters, the entries of the audit trail by and about the person, and
the ids of the records that the person created. Hashes and secrets are left out.`,
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			held, err := op.PersonHeld(ctx, email)
			if err != nil {
				return err
			}
			enc := json.NewEncoder(s.Out)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(held)
		}),
	}
	export.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	return required(export, "email")
}

func (s *shell) eraseUser() *cobra.Command {
	var email string
	var yes bool
	erase := &cobra.Command{
		Use: "erase", Short: "Erase a person for good; the records stay, under a pseudonym",
		Long: `Erase a person for good. Name and address become a pseudonym, in the account and in the audit
trail; password, roles, sessions, links, letters and identities are deleted, and API keys revoked.
Records, ledger and audit trail stay whole: ` + "`tilth verify`" + ` finds nothing missing. Without
--yes the command only says what it would erase. It may be interrupted and run again. Backups
hold the person until they are removed.`,
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			held, err := op.PersonHeld(ctx, email)
			if err != nil {
				return err
			}
			if !yes {
				return fault.Newf(fault.Precondition, "not_confirmed",
					"Erasing %s also erases %d sessions and %d API keys, ended ones included, and cannot be undone. Fix: keep the output of `tilth user export` if it was asked for, then run the command again with --yes.",
					email, len(held["sessions"]), len(held["api_keys"]))
			}
			out, err := op.ErasePerson(ctx, email)
			return s.answer(err, record{{"id", out.ID}, {"name", out.Name}, {"email", out.Email}, {"values", out.Values}},
				"user %d is erased, and now called %s; %d values of the audit trail were erased", out.ID, out.Name, out.Values)
		}),
	}
	erase.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	erase.Flags().BoolVar(&yes, "yes", false, "erase; it cannot be undone")
	return required(erase, "email")
}

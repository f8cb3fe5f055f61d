package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/core/fault"
	"tilth/ports"
)

func (s *shell) secret() *cobra.Command {
	create := &cobra.Command{
		Use: "create", Short: "Print a new key for TILTH_SECRET_KEY",
		Long: `Print a new key for TILTH_SECRET_KEY, or for the file that TILTH_SECRET_KEY_FILE names. It is
stored nowhere. Keep a copy apart from the backups: whoever has both can read the secrets,
and without the key a backup cannot be restored.`,
		RunE: func(*cobra.Command, []string) error {
			key := s.program.NewSecretKey()
			return s.print(record{{"key", key}}, "%s", key)
		},
	}
	rotate := &cobra.Command{
		Use: "rotate", Short: "Seal every stored secret with the first key of TILTH_SECRET_KEY",
		Long: `Seal every stored secret (signing keys, secrets of webhooks, kept answers) with the first
key of TILTH_SECRET_KEY. Give the new key and, after a comma, the old one, first to every
server and then to this command. It may be interrupted and run again; once it has finished,
the old key no longer opens anything and can be removed from the setting.`,
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			key, n, err := op.RotateSecrets(ctx)
			return s.answer(err, record{{"key", key}, {"sealed", n}}, "%d secrets were sealed; all are now under key %s", n, key)
		}),
	}
	return group("secret", "The key that stored secrets are sealed with", create, rotate, s.resetSecrets())
}

func (s *shell) resetSecrets() *cobra.Command {
	var yes bool
	reset := &cobra.Command{
		Use: "reset", Short: "Give up the secrets whose key is lost, so that the installation works again",
		Long: `Give up the stored secrets whose key is no longer in any setting, so that the installation works
again. What can be made again is made again; the command states what is lost. Without --yes
that is all it does. Stop every server first. Look for the key beforehand: nothing brings
back what this command gives up.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lost, err := s.program.ResetSecrets(cmd.Context(), s.cfg, s.logger(), func(lost ports.LostSecrets) error {
				if !lost.Any() || yes {
					return nil
				}
				return fault.Newf(fault.Precondition, "not_confirmed",
					"The keys of these secrets are not configured, and a reset gives them up for good:\n%s\nFix: set TILTH_SECRET_KEY to the key if you still have it, or run the command again with --yes.", spellLost(lost))
			})
			if err == nil && !lost.Any() {
				return s.print(record{{"lost", false}}, "nothing is lost: every secret opens with the keys of this configuration")
			}
			return s.answer(err, record{
				{"lost", true}, {"signing_keys", lost.SigningKeys}, {"chain_keys", lost.ChainKeys}, {"webhooks", lost.Webhooks},
				{"pact_clients", lost.Recipients}, {"plan_links", lost.Links}, {"answers", lost.Answers}, {"certificates", lost.Certificates},
			}, "given up:\n%s", spellLost(lost))
		},
	}
	reset.Flags().BoolVar(&yes, "yes", false, "give them up; it cannot be undone")
	return reset
}

// spellLost lists what is lost, and what of it comes back by itself.
func spellLost(lost ports.LostSecrets) string {
	var lines []string
	line := func(n int64, format string) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("  "+format, n))
		}
	}
	line(lost.SigningKeys, "%d keys of access tokens: a new one is made; people carry on with their refresh tokens")
	line(lost.ChainKeys, "%d keys that sign the ledger and the trails: a new one is made; what they signed verifies by their public halves")
	line(lost.Webhooks, "%d secrets of webhooks: each webhook gets a new one and is switched off until its company rotates it and tells the receiver")
	line(lost.Recipients, "%d credentials for the systems of PACT clients: no events are sent to them until their company enters the credentials again")
	line(lost.Links, "%d printings of labels and field sheets: their codes no longer open anything; print them again")
	line(lost.Answers, "%d kept answers: a repeat of their requests is answered with 409 answer_lost, and not carried out again")
	line(lost.Certificates, "%d entries of fetched certificates: the server fetches new ones at its start")
	return strings.Join(lines, "\n")
}

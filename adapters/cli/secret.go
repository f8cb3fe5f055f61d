package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tilth/app/operating"
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
server and then to this command. It may be interrupted and run again; when it has ended,
the old key opens nothing any more and can be removed from the setting.`,
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			key, n, err := op.RotateSecrets(ctx)
			return s.answer(err, record{{"key", key}, {"sealed", n}}, "%d secrets were sealed; all are now under key %s", n, key)
		}),
	}
	return group("secret", "The key that stored secrets are sealed with", create, rotate)
}

package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/account"
	"tilth/app/operating"
)

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

package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// maxCertificateDays is the longest validity that browsers and phones accept.
const maxCertificateDays = 397

func (s *shell) cert() *cobra.Command {
	var folder string
	var names []string
	days := maxCertificateDays
	create := &cobra.Command{
		Use: "create --host NAME [--host ADDRESS]", Short: "Make a certificate for a network without public names",
		Long: `Make a certificate for the names and addresses at which the server is reached and, the first
time, an authority that signs it. Have every device trust the authority once; run the command
again to renew the certificate, which a running server picks up by itself.`,
		RunE: func(*cobra.Command, []string) error {
			if days < 1 || days > maxCertificateDays {
				return usageError{fmt.Errorf("--days must be 1 to %d", maxCertificateDays)}
			}
			authority, certificate, key, err := s.program.CreateCertificate(folder, names, days)
			return s.answer(err, record{{"authority", authority}, {"certificate", certificate}, {"key", key}},
				"TILTH_TLS_CERT=%s\nTILTH_TLS_KEY=%s\nlet every device trust %s", certificate, key, authority)
		},
	}
	create.Flags().StringArrayVar(&names, "host", nil, "name or IP address at which the server is reached; may be repeated")
	create.Flags().StringVar(&folder, "dir", "tilth-data/tls", "folder for the authority and the certificate")
	create.Flags().IntVar(&days, "days", days, "how many days the certificate is valid")
	_ = create.MarkFlagRequired("host")
	return group("cert", "Certificates for TLS", create)
}

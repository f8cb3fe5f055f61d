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
		Long: `Make a certificate of the server for the names and addresses that it is reached under, and at
first an authority that signs it. Let every device trust the authority once; run the command
again to renew the certificate, which a running server takes up by itself.`,
		RunE: func(*cobra.Command, []string) error {
			if days < 1 || days > maxCertificateDays {
				return usageError{fmt.Errorf("--days must be 1 to %d", maxCertificateDays)}
			}
			authority, certificate, key, err := s.program.CreateCertificate(folder, names, days)
			return s.answer(err, record{{"authority", authority}, {"certificate", certificate}, {"key", key}},
				"TILTH_TLS_CERT=%s\nTILTH_TLS_KEY=%s\nlet every device trust %s", certificate, key, authority)
		},
	}
	create.Flags().StringArrayVar(&names, "host", nil, "name or IP address that the server is reached under; may be repeated")
	create.Flags().StringVar(&folder, "dir", "tilth-data/tls", "folder of the authority and the certificate")
	create.Flags().IntVar(&days, "days", days, "how long the certificate is good for")
	_ = create.MarkFlagRequired("host")
	return group("cert", "Certificates for TLS", create)
}

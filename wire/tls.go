package wire

import (
	"crypto/tls"
	"log/slog"
	"strings"
	"time"

	"tilth/adapters/certificate"
	"tilth/adapters/cli"
	"tilth/adapters/identity"
)

// certificates returns the configuration of TLS; nil for plain HTTP.
func certificates(cfg cli.Config, log *slog.Logger) (*tls.Config, error) {
	if cfg.TLSCert == "" {
		return nil, nil
	}
	files, err := certificate.Open(cfg.TLSCert, cfg.TLSKey, log)
	if err != nil {
		return nil, err
	}
	return files.Config(), nil
}

// baseOf returns the address of the server for people: the public one, or the one it listens on.
func baseOf(cfg cli.Config, addr string) string {
	switch {
	case cfg.PublicURL != "":
		return strings.TrimSuffix(cfg.PublicURL, "/")
	case cfg.TLSCert != "":
		return "https://" + addr
	}
	return "http://" + addr
}

// certificateEnds is how long before its end a certificate is to be renewed.
const certificateEnds = 14 * 24 * time.Hour

func examineTLS(cfg cli.Config) cli.Finding {
	f := cli.Finding{Part: "tls", OK: true, Detail: "none: plain HTTP, for this machine or behind a proxy"}
	if cfg.TLSCert == "" {
		return f
	}
	files, err := certificate.Open(cfg.TLSCert, cfg.TLSKey, slog.New(slog.DiscardHandler))
	var ends time.Time
	if err == nil {
		ends, err = files.Expires()
	}
	if err != nil {
		return failing("tls", err, "check TILTH_TLS_CERT and TILTH_TLS_KEY, or make them by `tilth cert create`")
	}
	f.Detail = "the certificate ends " + ends.Format(time.RFC3339)
	if (identity.Clock{}).Now().Add(certificateEnds).After(ends) {
		f.OK, f.Fix = false, "renew it; one of `tilth cert create` by the same command"
	}
	return f
}

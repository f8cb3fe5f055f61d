package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"tilth/adapters/certificate"
	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/messaging"
	"tilth/ports"
)

// certificates returns the configuration of TLS, nil for plain HTTP; and the keeper of the certificates, nil for files.
func certificates(cfg cli.Config, store ports.CertificateStore, log *slog.Logger) (*tls.Config, *certificate.ACME, error) {
	if cfg.TLSCert != "" {
		files, err := certificate.Open(cfg.TLSCert, cfg.TLSKey, log)
		if err != nil {
			return nil, nil, err
		}
		return files.Config(), nil, nil
	}
	if cfg.ACMEDomains == "" {
		return nil, nil, nil
	}
	keeper, err := newACME(cfg, store, log)
	if err != nil {
		return nil, nil, err
	}
	return keeper.Config(), keeper, nil
}

func newACME(cfg cli.Config, store ports.CertificateStore, log *slog.Logger) (*certificate.ACME, error) {
	var roots *x509.CertPool
	if cfg.ACMERoots != "" {
		text, err := os.ReadFile(cfg.ACMERoots)
		if err != nil {
			return nil, fmt.Errorf("read the file of TILTH_ACME_ROOTS: %w", err)
		}
		if roots = x509.NewCertPool(); !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("the file %s of TILTH_ACME_ROOTS holds no certificate", cfg.ACMERoots)
		}
	}
	var binding *certificate.Binding
	if cfg.ACMEEABID != "" {
		key, err := cfg.ACMEKey()
		if err != nil {
			return nil, fmt.Errorf("read TILTH_ACME_EAB_KEY: %w", err)
		}
		binding = &certificate.Binding{ID: cfg.ACMEEABID, Key: key}
	}
	return certificate.NewACME(certificate.ACMEConfig{
		Directory: cfg.ACMEDirectory, Roots: roots, Email: cfg.ACMEEmail, Domains: cfg.ACMENames(), Binding: binding, OverHTTP: cfg.ACMEHTTPAddr != "",
		Store: store, Clock: identity.Clock{}, Holder: identity.Random{}.UUID(), Log: log,
	}), nil
}

// fetchEvery is how often a server looks whether a certificate is due. It asks nobody unless one is.
const fetchEvery = time.Second

// keepCertificates fetches and renews the certificates of the configuration.
func (r *Running) keepCertificates(ctx context.Context, group *errgroup.Group, plain net.Listener) {
	if r.acme == nil {
		return
	}
	if plain != nil {
		group.Go(func() error { return r.http.ServePlain(ctx, plain, r.acme.Challenges()) })
	}
	group.Go(func() error {
		return every(ctx, r.log, slog.LevelDebug, messaging.Rhythm{Latest: fetchEvery}, "certificates were fetched", r.acme.Keep)
	})
}

// certificateEnds is how long before its end a certificate is to be renewed.
const certificateEnds = 14 * 24 * time.Hour

func examineTLS(ctx context.Context, cfg cli.Config) cli.Finding {
	if cfg.ACMEDomains != "" {
		return examineACME(ctx, cfg)
	}
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
		return cli.Failing("tls", err, "check TILTH_TLS_CERT and TILTH_TLS_KEY, or make them with `tilth cert create`")
	}
	f.Detail = "the certificate ends " + ends.Format(time.RFC3339)
	if (identity.Clock{}).Now().Add(certificateEnds).After(ends) {
		f.OK, f.Fix = false, "renew it; if `tilth cert create` made it, with the same command"
	}
	return f
}

const (
	authorityTimeout = 15 * time.Second // how long an authority may take to answer
	renewalGrace     = 24 * time.Hour   // how late a renewal may be
)

// examineACME names the first name whose certificate is not as it should be.
func examineACME(ctx context.Context, cfg cli.Config) cli.Finding {
	db, err := openDatabase(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return cli.Failing("tls", err, "the certificates are in the database: check it first")
	}
	defer func() { _ = db.Close() }()
	if n, err := db.Migrator().Pending(ctx); err != nil || n > 0 {
		return cli.Finding{Part: "tls", OK: true, Warn: true, Detail: "not known until all migrations are applied"}
	}
	keeper, err := newACME(cfg, db.Certificates(), slog.New(slog.DiscardHandler))
	if err != nil {
		return cli.Failing("tls", err, "TILTH_ACME_ROOTS must name a PEM file")
	}
	kept, err := keeper.Kept(ctx)
	if err != nil {
		return cli.Failing("tls", err, "the certificates in the database cannot be read: check TILTH_SECRET_KEY and TILTH_SECRET_KEY_FILE")
	}
	f := cli.Finding{Part: "tls", OK: true}
	for _, k := range kept {
		if f = judge(f, k, identity.Clock{}.Now(), proofOf(cfg)); !f.OK {
			return f
		}
	}
	within, cancel := context.WithTimeout(ctx, authorityTimeout)
	defer cancel()
	if err := keeper.Reach(within); err != nil {
		return cli.Failing("tls", fmt.Errorf("the authority %s does not answer: %w", cfg.ACMEDirectory, err), "check TILTH_ACME_DIRECTORY, TILTH_ACME_ROOTS and the network")
	}
	return f
}

// proofOf returns what an authority must reach.
func proofOf(cfg cli.Config) string {
	if cfg.ACMEHTTPAddr != "" {
		return "port 80 to TILTH_ACME_HTTP_ADDR"
	}
	return "port 443 to TILTH_ADDR"
}

// judge adds the state of a name to a finding.
func judge(f cli.Finding, k certificate.Kept, now time.Time, proof string) cli.Finding {
	lead := fmt.Sprintf("have the name %s lead to this server from the internet, and %s", k.Domain, proof)
	state := fmt.Sprintf("the certificate of %s ends %s", k.Domain, k.Ends.Format(time.RFC3339))
	switch missing := k.Ends.IsZero(); {
	case k.Failure.Reason != "" && (missing || now.After(k.Renews)):
		f.OK, f.Fix = false, lead
		state = fmt.Sprintf("no new certificate for %s (%s): %s", k.Domain, k.Failure.At.Format(time.RFC3339), k.Failure.Reason)
	case missing:
		f.Warn, f.Fix = true, "start the server, which fetches it; "+lead
		state = "no certificate for " + k.Domain + " yet"
	case now.After(k.Renews.Add(renewalGrace)):
		f.OK, f.Fix = false, "start the server, which renews it"
	}
	if f.Detail != "" {
		state = f.Detail + "; " + state
	}
	f.Detail = state
	return f
}

package wire

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"tilth/adapters/cli"
)

// readyTimeout is how long a process may take to say whether it can work: less than health checks wait.
const readyTimeout = 4 * time.Second

// maxReadyAnswer bounds what is read of its answer.
const maxReadyAnswer = 64 << 10

// Ready implements cli.Program. The operators' address is asked: every process has it, whatever its roles, and it is plain
// HTTP where requests come over TLS.
func (Program) Ready(ctx context.Context, cfg cli.Config) (string, error) {
	if cfg.AdminAddr == "off" {
		return "", fmt.Errorf("the process cannot be asked: TILTH_ADMIN_ADDR is off. Fix: set it to 127.0.0.1:8081, or ask /readyz of TILTH_ADDR")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+ownAddr(cmp.Or(cfg.AdminAddr, adminAddr))+"/readyz", nil)
	if err != nil {
		return "", err
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r) // no proxy: it is this machine
	if err != nil {
		return "", fmt.Errorf("the process does not answer: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxReadyAnswer))
	said := strings.TrimSpace(string(body))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("the process cannot work: %s", said)
	}
	return said, err
}

// ownAddr returns the address by which a process on the same machine reaches one that listens on all addresses. No name is
// looked up: an image from scratch knows none.
func ownAddr(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	ip, bad := netip.ParseAddr(host)
	switch {
	case err != nil:
		return addr
	case host == "" || bad == nil && ip == netip.IPv4Unspecified():
		return net.JoinHostPort("127.0.0.1", port)
	case bad == nil && ip.IsUnspecified():
		return net.JoinHostPort("::1", port)
	}
	return addr
}

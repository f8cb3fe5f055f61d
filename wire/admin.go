package wire

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"

	"tilth/adapters/cli"
)

// adminAddr is where operators find figures and profiles, unless they choose another address.
const adminAddr = "127.0.0.1:8081"

// listenAdmin opens the operators' address; nil where it is switched off. A default address
// that is taken, by another program or another server, does not prevent serving.
func listenAdmin(ctx context.Context, cfg cli.Config, log *slog.Logger) (net.Listener, error) {
	if cfg.AdminAddr == "off" {
		return nil, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cmp.Or(cfg.AdminAddr, adminAddr))
	switch {
	case err == nil:
		log.Info("figures and profiles for operators", "metrics", "http://"+listener.Addr().String()+"/metrics")
		return listener, nil
	case cfg.AdminAddr != "":
		return nil, fmt.Errorf("listen on %s (TILTH_ADMIN_ADDR): %w", cfg.AdminAddr, err)
	}
	log.Warn("no figures and profiles are served: the default address is in use", "error", err, "fix", "set TILTH_ADMIN_ADDR to a free address, or to off")
	return nil, nil
}

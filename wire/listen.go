package wire

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"tilth/adapters/cli"
)

// Listeners is where a server answers.
type Listeners struct {
	Main  net.Listener // nil: nowhere, for a process without the role api
	Admin net.Listener // what only operators may see; nil: nowhere
	Plain net.Listener // challenges of certificates over plain HTTP; nil: nowhere
}

// listen opens the listeners of a configuration.
func listen(ctx context.Context, cfg cli.Config, log *slog.Logger) (on Listeners, err error) {
	if roles, err := cfg.ProcessRoles(); err != nil || !roles.API {
		on.Admin, err = listenAdmin(ctx, cfg, log)
		return on, err
	}
	if on.Main, err = new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr); err != nil {
		return on, fmt.Errorf("listen on %s: %w", cfg.Addr, err)
	}
	if cfg.ACMEHTTPAddr != "" {
		if on.Plain, err = new(net.ListenConfig).Listen(ctx, "tcp", cfg.ACMEHTTPAddr); err != nil {
			return on, fmt.Errorf("listen on %s (TILTH_ACME_HTTP_ADDR): %w", cfg.ACMEHTTPAddr, err)
		}
	}
	on.Admin, err = listenAdmin(ctx, cfg, log)
	return on, err
}

func (on Listeners) close() {
	for _, one := range []net.Listener{on.Main, on.Admin, on.Plain} {
		if one != nil {
			_ = one.Close() // a server that ended has closed it
		}
	}
}

package contract

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
	"tilth/wire"
)

// hasty stops a server as soon as it prints something.
type hasty struct {
	said bytes.Buffer
	stop context.CancelFunc
}

func (h *hasty) Write(text []byte) (int, error) {
	h.stop()
	return h.said.Write(text)
}

// A user who reads that a server is ready may stop it at once, which is not a failure, even on an empty installation,
// whose start prints more.
func TestAServerThatIsEndedAtOnceEndsWell(t *testing.T) {
	t.Parallel()
	cfg, err := cli.ReadConfig(map[string]string{
		"TILTH_DATABASE_URL": rig.SQLite(t), "TILTH_ADDR": "127.0.0.1:0", "TILTH_ADMIN_ADDR": "off",
		"TILTH_IMAGERY_URL": rig.Archive(t).Dir, "TILTH_OBJECTS_URL": "file:" + t.TempDir(),
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &hasty{stop: stop}
	require.NoError(t, wire.Program{}.Serve(ctx, cfg, slog.New(slog.DiscardHandler), cli.ServeOptions{Out: out}))
	require.Contains(t, out.said.String(), "is ready at")
	require.Contains(t, out.said.String(), "/setup#")
}

package contract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

func TestOriginsAreConfigured(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Config: func(c *cli.Config) { c.CORSOrigins = "https://a.example, http://localhost:5173" }})
	c := s.Company("viewer", 0)
	for origin, want := range map[string]string{"https://a.example": "https://a.example", "http://localhost:5173": "http://localhost:5173", "https://b.example": ""} {
		a := send(t, s, c, "GET", "farm/", nil, "Origin", origin)
		require.Equal(t, 200, a.Status)
		require.Equal(t, want, a.Header.Get("Access-Control-Allow-Origin"))
		for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin"} {
			require.Equal(t, value, a.Header.Get(name))
		}
		require.Contains(t, a.Header.Get("Content-Security-Policy"), "default-src 'none'")
	}
	for _, bad := range []string{"a.example", "https://a.example/", "*", "https://a.example, null"} {
		cfg, err := cli.ReadConfig(map[string]string{"TILTH_CORS_ORIGINS": bad})
		require.NoError(t, err)
		require.ErrorContains(t, cfg.Check(), "TILTH_CORS_ORIGINS", bad)
	}
}

package wire

import (
	"tilth/adapters/cli"
	"tilth/adapters/engine"
	"tilth/ports"
)

// openEngines makes the calculation engines: the built-in one, and the external one where
// it is configured.
func openEngines(cfg cli.Config) (ports.Engines, error) {
	if cfg.EngineURL == "" {
		return engine.NewRegistry(), nil
	}
	external, err := engine.NewExternal(engine.ExternalOptions{ID: cfg.EngineID, URL: cfg.EngineURL, Token: cfg.EngineToken})
	if err != nil {
		return nil, err
	}
	return engine.NewRegistry(external), nil
}

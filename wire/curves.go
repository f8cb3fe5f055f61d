package wire

import (
	"tilth/adapters/cli"
	"tilth/adapters/exchange"
)

// CurveFiles reads and writes the files of crop verification.
func (Program) CurveFiles() cli.CurveFiles { return exchange.Curves{} }

package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/core/audit"
	"tilth/ports"
)

func (s *shell) trail() *cobra.Command {
	var limit int64
	return limited(&cobra.Command{
		Use: "trail", Short: "Print the operators' changes of the installation, newest first",
		Long: `Print the changes that operators made to the installation as a whole, on the command line and
over HTTP, newest first: prices, the crop catalog, reference curves, signing keys, operators, jobs;
with --json, one object per line. Their changes to a company are in that company's audit trail.`,
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			return listed(op.Trail(ctx, ports.Query{Limit: limit}))(s.printEntry)
		}),
	}, &limit, 50, "number of the newest to print; 0: all")
}

func (s *shell) printEntry(e ports.OperatorEntry) error {
	words := each(e.Changes, func(c audit.Change) string {
		if c.Before == nil {
			return fmt.Sprintf("%s %v", c.Member, c.After)
		}
		return fmt.Sprintf("%s %v (was %v)", c.Member, c.After, c.Before)
	})
	changes := each(e.Changes, func(c audit.Change) record {
		return record{{"member", c.Member}, {"before", c.Before}, {"after", c.After}}
	})
	actor, by := audit.CommandLine, ""
	if e.User != nil {
		actor, by = e.User.Name, ", by "+e.User.Name
	}
	return s.print(record{
		{"id", e.ID}, {"at", e.At}, {"actor", actor}, {"action", e.Action}, {"resource", e.Resource}, {"record", e.Record},
		{"changes", changes},
	}, "%s", strings.TrimRight(
		fmt.Sprintf("%s  %-7s %s %s  %s", e.At.Format(time.RFC3339), e.Action, e.Resource, e.Record, strings.Join(words, ", ")+by), " "))
}

package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (s *shell) filestore() *cobra.Command {
	claim := &cobra.Command{
		Use: "claim", Short: "Make the place that TILTH_OBJECTS_URL names that of this database's files",
		Long: `Make the place that TILTH_OBJECTS_URL names that of this database's files. A server refuses
files that do not bear the mark of its database, because processes that do not share their
files lose uploads. Use this command where the files are lost, or where the database is a
copy that goes on with files of its own: servers that use another place are refused from
their next start on.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.opened(cmd, func(ctx context.Context, o *Opened) error {
				return s.answer(o.Operating.ClaimFiles(ctx, o.Files), record{{"files", s.value("objects-url")}}, "%s holds the files of this database from now on", s.value("objects-url"))
			})
		},
	}
	return group("files", "Where uploads, rasters, evidence and photos are kept", claim)
}

// value returns a setting as it may be shown.
func (s *shell) value(flag string) string {
	for _, one := range s.cfg.settings() {
		if one.flag() == flag {
			return one.value()
		}
	}
	return ""
}

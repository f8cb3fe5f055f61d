package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tilth/core/fault"
)

// withNearestFlag adds the flag that a misspelt one is likely to mean.
func withNearestFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	nearest := fault.Nearest(unknown.GetSpecifiedName(), names)
	if nearest == "" {
		return err
	}
	return fmt.Errorf("%w%s", err, didYouMean("--"+nearest))
}

// didYouMean asks for a name, if there is one.
func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean `%s`?", name)
}

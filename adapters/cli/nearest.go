package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// prefix begins the names of all settings except those of OpenTelemetry.
const prefix = "TILTH_"

// Variables with the prefix that are not settings: copyTo belongs to one command, CONFIG names the file of settings, and the others
// belong to the tests, to the Makefile and to the first programs in docs/clients.
const copyTo = prefix + "COPY_TO"

var (
	otherPrefixes = []string{"TEST_", "REQUIRE_", "DRAWN", "BENCH_"}
	otherNames    = []string{
		"COPY_TO", "CONFIG", "RELEASE", "REAL_DATA", "SEED", "DRAWS", "PICTURES", "SIMULATE", "CLIENTS", "SOAK", "KILLS", "CLUSTER", "ROLLING", "COMPOSE", "ANSWERS", "STAC_SPEC", "QGIS", "QGIS_ROOT", "GDAL", "GRASS", "OBSERVABILITY", "HOSTILE", "FRAMES", "FIELDS", "BROWSER",
		"COUNT_ALLOCATIONS", "URL", "EMAIL", "PASSWORD",
	}
)

// unknownVariables returns the variables of the environment that are named like settings but are none, each with the setting that
// it is likely to mean, or an empty text.
func unknownVariables(environ map[string]string) map[string]string {
	var known []string
	for _, one := range new(Config).settings() {
		if name, ok := strings.CutPrefix(one.variable, prefix); ok {
			known = append(known, name)
		}
	}
	out := map[string]string{}
	for variable := range environ {
		name, ours := strings.CutPrefix(variable, prefix)
		isOther := func(start string) bool { return strings.HasPrefix(name, start) }
		if !ours || slices.Contains(known, name) || slices.Contains(otherNames, name) || slices.ContainsFunc(otherPrefixes, isOther) {
			continue
		}
		out[variable] = ""
		if nearest := fault.Nearest(name, known); nearest != "" {
			out[variable] = prefix + nearest
		}
	}
	return out
}

// warnOfUnknown names the variables that are likely misspelt. They are not refused: another program may own them.
func (s *shell) warnOfUnknown() {
	unknown := unknownVariables(s.environ)
	for _, variable := range slices.Sorted(maps.Keys(unknown)) {
		attributes := []any{"variable", variable}
		if unknown[variable] != "" {
			attributes = append(attributes, "did_you_mean", unknown[variable])
		}
		s.logger().Warn("an environment variable is named like a setting but is not one", attributes...)
	}
}

package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// named ends the help of a flag that is a setting.
var named = regexp.MustCompile(` \(([A-Z][A-Z0-9_]+)\)$`)

// variable returns the environment variable of a flag, or an empty string if the flag is not a setting.
func variable(f *pflag.Flag) string {
	found := named.FindStringSubmatch(f.Usage)
	if found == nil {
		return ""
	}
	return found[1]
}

// settings describes every setting, from the flags of a command that has them all.
func settings(serve *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Settings\n\n")
	b.WriteString("Every setting is a variable of the environment, a flag and a line of `tilth.toml`. A flag takes precedence over the\n" +
		"environment, and that over the file: `TILTH_ADDR=:8080`, `--addr :8080` and `addr = \":8080\"` mean the same. `tilth\n" +
		"config --origins` prints what is in force and where each value comes from. A misspelt variable is reported at the start, and a\n" +
		"misspelt line of the file is an error. Durations are written `90s`, `15m` or `24h`.\n\n")
	b.WriteString(head("variable", "what it is", "default"))
	serve.Flags().VisitAll(func(f *pflag.Flag) { b.WriteString(settingRow(f)) })
	serve.InheritedFlags().VisitAll(func(f *pflag.Flag) { b.WriteString(settingRow(f)) })
	b.WriteString("\nThe variables `AWS_*` hold the credentials of a bucket in `TILTH_OBJECTS_URL`, named as by its own tools.\n\n" +
		"Next: [operating an installation](operating.md), which says when each matters, and [commands](commands.md).\n")
	return b.String()
}

func settingRow(f *pflag.Flag) string {
	name := variable(f)
	if name == "" {
		return ""
	}
	usual := code(f.DefValue)
	if f.DefValue == "" {
		usual = "empty"
	}
	return row(code(name), cell(named.ReplaceAllString(f.Usage, "")), usual)
}

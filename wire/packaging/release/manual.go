package main

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"tilth/adapters/cli"
)

// described is a program of which the command line uses only Build.
type described struct {
	cli.Program
	build cli.Build
}

func (d described) Build() cli.Build { return d.build }

// writeManual makes the manual pages, one per command, and the completions of four shells, from the commands themselves.
func writeManual(src source) ([]file, error) {
	root, err := cli.Commands(described{build: cli.Build{Version: src.version}})
	if err != nil {
		return nil, err
	}
	var out []file
	for name, write := range map[string]func(*bytes.Buffer) error{
		"tilth.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"_tilth":     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"tilth.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"tilth.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return nil, err
		}
		out = append(out, file{"completions/" + name, 0o644, b.Bytes()})
	}
	root.InitDefaultCompletionCmd()
	if err := eachCommand(root, func(c *cobra.Command) error {
		c.Long, c.DisableAutoGenTag = marked(c.Long), true
		var b bytes.Buffer
		header := &doc.GenManHeader{Section: "1", Date: &src.time, Source: "Tilth " + src.version, Manual: "Tilth"}
		if err := doc.GenMan(c, header, &b); err != nil {
			return err
		}
		out = append(out, file{"man/man1/" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1", 0o644, b.Bytes()})
		return nil
	}); err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return out, nil
}

// eachCommand visits every command that is shown to users.
func eachCommand(c *cobra.Command, do func(*cobra.Command) error) error {
	if err := do(c); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := eachCommand(sub, do); err != nil {
			return err
		}
	}
	return nil
}

// special matches what Markdown would interpret in plain help text.
var special = regexp.MustCompile("[*_<>\\[\\]`#|\\\\]")

// marked returns plain help text as the Markdown from which manual pages are made: indented text is code.
func marked(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "  ")
		if indented != code && strings.TrimSpace(line) != "" {
			b.WriteByte('\n')
			code = indented
		}
		if indented {
			b.WriteString("    " + strings.TrimPrefix(line, "  "))
		} else {
			b.WriteString(special.ReplaceAllString(line, `\$0`))
		}
	}
	return b.String()
}

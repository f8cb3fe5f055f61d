package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands describes every command that users are shown, in alphabetical order.
func commands(root *cobra.Command) string {
	var all []*cobra.Command
	visit(root, func(c *cobra.Command) { all = append(all, c) })
	var b strings.Builder
	b.WriteString("# Commands\n\n")
	b.WriteString("Every command has `--help`, and `--json` prints records as JSON. The exit status is 0 where all is well, 1 where\n" +
		"something failed, and 2 where the command was misspelt. `serve`, `worker`, `doctor`, `health`, `config` and `init` take\n" +
		"every [setting](settings.md) as a flag; the others take those of [all commands](#flags-of-all-commands).\n\n")
	b.WriteString(head("command", "what it does"))
	for _, c := range all[1:] {
		if works(c) {
			b.WriteString(row("["+code(c.CommandPath())+"](#"+anchor(c.CommandPath())+")", cell(c.Short)))
		}
	}
	b.WriteString("\n## Flags of all commands\n\n" + flags(root.PersistentFlags()))
	for _, c := range all[1:] {
		if works(c) {
			b.WriteString("\n" + describe(c))
		}
	}
	b.WriteString("\nNext: [settings](settings.md), and [operating an installation](operating.md).\n")
	return b.String()
}

// visit calls do with a command and all commands below it that users are shown.
func visit(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			visit(sub, do)
		}
	}
}

// works reports whether a command does something itself: one with subcommands does if it takes an argument.
func works(c *cobra.Command) bool { return !c.HasSubCommands() || c.Use != c.Name() }

// describe describes a command: its use, its help, and those of its own flags that are not settings.
func describe(c *cobra.Command) string {
	var b strings.Builder
	b.WriteString("## " + c.CommandPath() + "\n\n```text\n" + c.UseLine() + "\n```\n\n")
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	b.WriteString(prose(text))
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = true
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if variable(f) == "" && f.Name != "help" && c.InheritedFlags().Lookup(f.Name) == nil {
			own.AddFlag(f)
		}
	})
	if own.HasAvailableFlags() {
		b.WriteString("\n" + flags(own))
	}
	return b.String()
}

// prose returns the plain text of a help as Markdown: indented lines are shown as code.
func prose(text string) string {
	var b strings.Builder
	typed := false
	for line := range strings.Lines(text + "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented != typed && strings.TrimSpace(line) != "" {
			if typed {
				b.WriteString("```\n")
			} else if indented && !strings.HasSuffix(b.String(), "\n\n") {
				b.WriteString("\n")
			}
			if indented {
				b.WriteString("```text\n")
			}
			typed = indented
		}
		if !typed {
			line = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`, "|", `\|`, "[", `\[`).Replace(line)
		}
		b.WriteString(line)
	}
	if typed {
		b.WriteString("```\n")
	}
	return b.String()
}

// flags returns a table of flags.
func flags(set *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString(head("flag", "what it does", "default"))
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		usual := ""
		if !slices.Contains([]string{"", "0", "[]", "false"}, f.DefValue) {
			usual = code(f.DefValue)
		}
		kind, help := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if kind != "" {
			name += " " + kind
		}
		b.WriteString(row(code(name), cell(help), usual))
	})
	return b.String()
}

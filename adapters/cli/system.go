package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (s *shell) serve() *cobra.Command {
	opts := ServeOptions{Out: s.out}
	c := &cobra.Command{
		Use: "serve", Short: "Run the server",
		Long: `Run the server: the HTTP interface and the background jobs. The database and its
folder are made where they are missing, and pending migrations are applied first.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.program.Serve(cmd.Context(), s.cfg, s.logger(), opts)
		},
	}
	c.Flags().BoolVar(&opts.Demo, "demo", false, "load the demonstration company, and use its synthetic imagery unless told otherwise")
	c.Flags().BoolVar(&opts.NoMigrate, "no-migrate", false, "refuse a database that needs migrations instead of applying them")
	return c
}

func (s *shell) worker() *cobra.Command {
	return &cobra.Command{Use: "worker", Short: "Run the background jobs alone", RunE: func(cmd *cobra.Command, _ []string) error {
		return s.program.Work(cmd.Context(), s.cfg, s.logger())
	}}
}

func (s *shell) migrate() *cobra.Command {
	run := func(do func(ctx context.Context, m Migrator) ([]string, error), verb string) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, _ []string) error {
			m, done, err := s.program.Migrator(cmd.Context(), s.cfg, s.logger())
			if err != nil {
				return err
			}
			defer func() { _ = done() }()
			names, err := do(cmd.Context(), m)
			if err != nil {
				return err
			}
			if names == nil {
				names = []string{}
			}
			text := "nothing to do"
			if len(names) > 0 {
				text = verb + " " + strings.Join(names, ", ")
			}
			return s.print(map[string]any{"migrations": names}, "%s", text)
		}
	}
	up := &cobra.Command{Use: "up", Short: "Apply what is pending", RunE: run(func(ctx context.Context, m Migrator) ([]string, error) { return m.Up(ctx) }, "applied")}
	down := &cobra.Command{Use: "down", Short: "Take the last group back, with its data", RunE: run(func(ctx context.Context, m Migrator) ([]string, error) { return m.Down(ctx) }, "taken back")}
	status := &cobra.Command{Use: "status", Short: "Say what is applied and what is pending", RunE: func(cmd *cobra.Command, _ []string) error {
		m, done, err := s.program.Migrator(cmd.Context(), s.cfg, s.logger())
		if err != nil {
			return err
		}
		defer func() { _ = done() }()
		all, err := m.Status(cmd.Context())
		if err != nil {
			return err
		}
		var lines []string
		for _, one := range all {
			word := "pending"
			if one.Applied {
				word = "applied"
			}
			lines = append(lines, word+"  "+one.Name)
		}
		return s.print(all, "%s", strings.Join(lines, "\n"))
	}}
	return group("migrate", "The schema of the database", up, down, status)
}

func (s *shell) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Say what is wrong with an installation, and how to mend it",
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := s.program.Examine(cmd.Context(), s.cfg)
			healthy := true
			var b strings.Builder
			for _, f := range findings {
				mark := "ok  "
				if !f.OK {
					mark, healthy = "FAIL", false
				}
				fmt.Fprintf(&b, "%s  %-14s %s\n", mark, f.Part, f.Detail)
				if f.Fix != "" {
					fmt.Fprintf(&b, "      %-14s → %s\n", "", f.Fix)
				}
			}
			if err := s.print(findings, "%s", strings.TrimRight(b.String(), "\n")); err != nil {
				return err
			}
			if !healthy {
				return errors.New("something is wrong, see above")
			}
			return nil
		},
	}
}

func (s *shell) config() *cobra.Command {
	return &cobra.Command{Use: "config", Short: "Print the configuration in force, secrets hidden", RunE: func(*cobra.Command, []string) error {
		values := map[string]string{}
		var lines []string
		for _, one := range s.cfg.settings() {
			v := one.show()
			if one.secret {
				v = hidden(v)
			}
			values[one.variable()] = v
			lines = append(lines, fmt.Sprintf("%s=%s", one.variable(), v))
		}
		return s.print(values, "%s", strings.Join(lines, "\n"))
	}}
}

func (s *shell) openapi() *cobra.Command {
	return &cobra.Command{Use: "openapi", Short: "Print the OpenAPI document", RunE: func(*cobra.Command, []string) error {
		doc, err := s.program.OpenAPI()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s\n", strings.TrimRight(string(doc), "\n"))
		return err
	}}
}

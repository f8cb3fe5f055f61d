package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tilth/app/moving"
	"tilth/core/audit"
	"tilth/core/fault"
	format "tilth/core/moving"
)

func (s *shell) exportCompany() *cobra.Command {
	var company int64
	c := &cobra.Command{
		Use: "export --company ID FILE.zip", Short: "Write everything that a company has into a file, also while serving",
		Long: `Write everything that a company has into a new zip archive, as of one moment: its records with their
history, outlines, profiles, maps, samples, assessments with their versions and evidence, the ledger
and the audit trail, in JSON lines, GeoJSON and the files as they were attached. manifest.json counts
them, with the SHA-256 of each file, and states what is left out and why. Keys, sessions and secrets
are left out; password hashes are in it: protect it accordingly. docs/moving.md describes the file.`,
		Example: "  tilth company export --company 1 acme.zip\n  tilth company export --company 1 acme.zip --json",
		Args:    cobra.ExactArgs(1),
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return s.withFiles(cmd, func(ctx context.Context, o *Opened) error {
			var out moving.Exported
			err := newFile(args[0], func(to io.Writer) (err error) {
				out, err = o.Mover.Export(ctx, company, audit.Entry{}, to)
				return err
			})
			if err != nil {
				return err
			}
			lines := []string{fmt.Sprintf("company %d, %s, is in %s: %d rows of %d tables, %d files; SHA-256 of its manifest %s",
				company, out.Company.Name, args[0], out.Rows(), len(out.Tables), len(out.Files), out.SHA256)}
			for _, left := range out.LeftOut {
				lines = append(lines, fmt.Sprintf("left out: %d %s (%s)", left.Rows, left.What, left.Why))
			}
			return s.print(record{{"file", args[0]}, {"manifest_sha256", out.SHA256}, {"manifest", out.Manifest}}, "%s", strings.Join(lines, "\n"))
		})
	}
	c.Flags().Int64Var(&company, "company", 0, "id of the company")
	return required(c, "company")
}

func (s *shell) importCompany() *cobra.Command {
	var wishes moving.Wishes
	var emails []string
	c := &cobra.Command{
		Use: "import FILE.zip", Short: "Store a company that another installation exported, whole or not at all",
		Long: `Store a company with everything that "tilth company export" wrote, on either database. Every digest,
count and chain in the file is verified first, and that its ledger adds up to its wallet; then one
transaction stores it under new ids. Its audit trail opens with an entry that names the signed ends
of the chains that it had. A company whose uuid already exists here is refused. With --key the
chains must be signed by these keys, whatever keys the file names: ask for them where it was
exported ("tilth verify keys"). On SQLite nobody else can write while it runs.`,
		Example: "  tilth company import acme.zip\n  tilth company import acme.zip --name \"Acme (moved)\" --email ann@acme.example=ann.old@acme.example",
		Args:    cobra.ExactArgs(1),
	}
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if wishes.Emails, err = pairs("email", emails); err != nil {
			return err
		}
		return s.withFiles(cmd, func(ctx context.Context, o *Opened) error {
			file, err := openObject(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }() // it was only read
			out, err := o.Mover.Import(ctx, file, wishes)
			if err != nil {
				return err
			}
			return s.print(record{
				{"id", out.Company.ID}, {"uuid", out.Company.UUID}, {"name", out.Company.Name}, {"rows", out.Rows}, {"files", out.Files},
				{"left_out", append([]format.LeftOut{}, out.Manifest.LeftOut...)},
			}, "company %d: %s (%s), %d rows and %d files", out.Company.ID, out.Company.Name, out.Company.UUID, out.Rows, out.Files)
		})
	}
	f := c.Flags()
	f.StringVar(&wishes.Name, "name", "", "another name for the company (default: as in the file)")
	f.StringArrayVar(&emails, "email", nil, "another address for one of its people, OLD=NEW; may be given several times")
	f.StringSliceVar(&wishes.Keys, "key", nil, "public key that must have signed its chains, as the command tilth verify keys prints it")
	return c
}

// pairs reads the values OLD=NEW of a flag.
func pairs(flag string, values []string) (map[string]string, error) {
	out := map[string]string{}
	for _, value := range values {
		from, to, found := strings.Cut(strings.ToLower(value), "=")
		if !found || from == "" || !strings.Contains(to, "@") {
			return nil, usageError{fmt.Errorf("--%s must be OLD=NEW, two addresses, not %q", flag, value)}
		}
		out[from] = to
	}
	return out, nil
}

// newFile writes a file, which appears whole or not at all, and overwrites nothing.
func newFile(name string, write func(io.Writer) error) (err error) {
	exists := fault.Newf(fault.Conflict, "file_exists", "%s already exists; an export overwrites nothing.", name)
	if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
		return exists
	}
	part, err := os.CreateTemp(filepath.Dir(name), ".tilth-company-") // others cannot read it
	if err != nil {
		return fmt.Errorf("write a file beside %s: %w", name, err)
	}
	defer func() { _ = os.Remove(part.Name()) }() // it has another name by then, or is of no use
	if err = errors.Join(write(part), part.Sync(), part.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, overwrites nothing that came meanwhile.
	if err := os.Link(part.Name(), name); errors.Is(err, os.ErrExist) {
		return exists
	} else if err != nil { // a file system without links
		return os.Rename(part.Name(), name)
	}
	return nil
}

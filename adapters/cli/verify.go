package cli

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tilth/app/audit"
	"tilth/core/chain"
)

func (s *shell) verify() *cobra.Command {
	keys := &cobra.Command{
		Use: "keys", Short: "Print the public keys that checkpoints are signed with",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.opened(cmd, func(ctx context.Context, o *Opened) error {
				all, err := o.Verifier.Keys(ctx)
				if err != nil {
					return err
				}
				return s.printKeys(all)
			})
		},
	}
	return group("verify", "Verify that the ledger and the trails are as they were written",
		s.verifyChain(chain.Ledger, "the ledger"), s.verifyChain(chain.Audit, "the audit trail"), s.verifyChain(chain.Operator, "the operator's trail"),
		keys, s.exportChain())
}

func (s *shell) printKeys(all []chain.Key) error {
	for _, key := range all {
		der, err := x509.MarshalPKIXPublicKey(key.Public)
		if err != nil {
			return err
		}
		text := base64.StdEncoding.EncodeToString(key.Public)
		block := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		if err := s.print(record{{"id", key.ID}, {"key", text}, {"pem", string(block)}}, "%s  %s\n%s", key.ID, text, strings.TrimSpace(string(block))); err != nil {
			return err
		}
	}
	return nil
}

func (s *shell) verifyChain(name chain.Name, what string) *cobra.Command {
	var company int64
	var keys []string
	scope := " of a company, or of every company"
	if name == chain.Operator {
		scope = ""
	}
	c := &cobra.Command{
		Use: string(name), Short: "Verify " + what + scope,
		Long: `Recompute the chain of hashes over ` + what + ` and compare it with its signed head and
checkpoints. One line per company; for a broken chain it names the first row that was
changed, is missing or was added, or the checkpoint that was forged, and the exit status is 1.
It also works while serving. With --key only checkpoints signed by these keys count,
whatever keys the database holds.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.opened(cmd, func(ctx context.Context, o *Opened) error {
				o.Verifier.PublicKeys = keys
				broken := 0
				err := printed(o.Verifier.Verify(ctx, name, company), func(v audit.Verified) error {
					if v.Broken != nil {
						broken++
					}
					return s.printVerified(v)
				})
				if err == nil && broken > 0 {
					err = fmt.Errorf("%d of the chains are broken, see above", broken)
				}
				return err
			})
		},
	}
	if name != chain.Operator {
		c.Flags().Int64Var(&company, "company", 0, "id of the company (default: all)")
	}
	c.Flags().StringSliceVar(&keys, "key", nil, "public key that must have signed, as the command tilth verify keys prints it")
	return c
}

// verifyBackup restores a backup into a folder of its own, and verifies what it holds.
func (s *shell) verifyBackup() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use: "verify FILE", Short: "Restore a backup into a folder for a trial, and verify what it holds",
		Long: `Do what a restore would do, but in a new folder, which is removed afterwards, and verify every
chain of the backup's ledger and trails there. Nothing of the installation is touched.
The exit status is 1 if the file cannot be restored or a chain is broken. It takes as much
room as the backup and its database; --folder says where. Stored secrets are read with
TILTH_SECRET_KEY, as in a restore. Run it after each change to how backups are made, and now and
then on the newest one.`,
		Args: cobra.ExactArgs(1),
	}
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		dir, err := os.MkdirTemp(folder, "tilth-verify-")
		if err != nil {
			return fmt.Errorf("make a folder for the trial: %w. Fix: name a writable one with --folder", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		trial := s.cfg
		trial.DatabaseURL, trial.DatabaseReadURL, trial.ObjectsURL = "sqlite:"+filepath.Join(dir, "tilth.db"), "", "file:"+filepath.Join(dir, "objects")
		if err := s.program.Restore(cmd.Context(), trial, s.logger(), args[0]); err != nil {
			return err
		}
		opened, err := s.program.Open(cmd.Context(), trial, s.logger(), true)
		if err != nil {
			return err
		}
		defer func() { _ = opened.Close() }()
		chains, rows, broken := 0, int64(0), 0
		for _, name := range []chain.Name{chain.Ledger, chain.Audit, chain.Operator} {
			for v, err := range opened.Verifier.Verify(cmd.Context(), name, 0) {
				if err != nil {
					return err
				}
				if chains, rows = chains+1, rows+v.Rows; v.Broken != nil {
					broken++
					if err := s.printVerified(v); err != nil {
						return err
					}
				}
			}
		}
		if broken > 0 {
			return fmt.Errorf("%d of %d chains in the backup are broken, see above", broken, chains)
		}
		return s.print(record{{"file", args[0]}, {"chains", chains}, {"rows", rows}}, "%s can be restored: %d chains with %d rows are whole", args[0], chains, rows)
	}
	c.Flags().StringVar(&folder, "folder", "", "where the folder for the trial is made (default: that of the system for temporary files)")
	return c
}

func (s *shell) printVerified(v audit.Verified) error {
	whose := fmt.Sprintf("company %d", v.CompanyID)
	if v.Name == chain.Operator {
		whose = "operator"
	}
	out := record{
		{"chain", v.Name}, {"company", v.CompanyID}, {"whole", v.Broken == nil}, {"verified", v.Rows}, {"erased", v.Erased},
		{"waiting", v.Waiting}, {"purged", v.Head.Purged}, {"position", v.Head.Position}, {"hash", v.Head.Hash}, {"head", v.Head.Message()},
		{"signature", v.Head.Signature},
	}
	if b := v.Broken; b != nil {
		out = append(out, member{"broken", record{{"kind", b.Kind}, {"position", b.Position}, {"row", b.RowID}, {"detail", b.Detail}}})
		return s.print(out, "%s: BROKEN, %s", whose, b)
	}
	return s.print(out, "%s: whole, %d rows up to position %d, hash %s; %d purged, %d values erased, %d rows wait",
		whose, v.Rows, v.Head.Position, v.Head.Hash, v.Head.Purged, v.Erased, v.Waiting)
}

func (s *shell) exportChain() *cobra.Command {
	var company int64
	export := &cobra.Command{
		Use: "export ledger|audit|operator", Short: "Print a chain with everything needed to recompute it, one object per line",
		Long: `Print a chain of a company, or that of the operator, one object per line: its checkpoints, then its rows in their order,
then its head. docs/evidence.md says how to recompute every hash of it with sha256sum,
and every signature with openssl.`,
		Args: cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), ValidArgs: []string{string(chain.Ledger), string(chain.Audit), string(chain.Operator)},
	}
	export.RunE = func(cmd *cobra.Command, args []string) error {
		if of := args[0] != string(chain.Operator); of != cmd.Flags().Changed("company") {
			return usageError{fmt.Errorf("--company is required with ledger and audit, and only with these")}
		}
		return s.opened(cmd, func(ctx context.Context, o *Opened) error {
			return printed(o.Verifier.Export(ctx, chain.ID{Name: chain.Name(args[0]), CompanyID: company}), func(e audit.Exported) error {
				return s.printJSON(exported(e))
			})
		})
	}
	export.Flags().Int64Var(&company, "company", 0, "id of the company")
	return export
}

func exported(e audit.Exported) record {
	if c := e.Checkpoint; c != nil {
		return record{{"checkpoint", c.Message()}, {"position", c.Position}, {"hash", c.Hash}, {"signature", c.Signature}}
	}
	values := each(e.Values, func(v chain.Value) record {
		if v.Erased {
			return record{{"name", v.Name}, {"erased", true}}
		}
		return record{{"name", v.Name}, {"salt", v.Salt}, {"value", v.Value}}
	})
	return record{{"position", e.Link.Position}, {"text", e.Text}, {"digest", e.Link.Digest}, {"hash", e.Link.Hash}, {"values", values}}
}

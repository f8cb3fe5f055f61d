package moving

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"

	"tilth/core/chain"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/moving"
)

const publicKeySize = ed25519.PublicKeySize

// given parses public keys.
func given(texts []string) (out []chain.Key, err error) {
	for _, text := range texts {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) != publicKeySize {
			return nil, fault.Field("key", "A public key is 44 characters, as `tilth verify keys` prints it.")
		}
		out = append(out, chain.PublicKey(raw))
	}
	return out, nil
}

// verify reads the whole file once and checks that every digest and count matches the manifest, that the chains are whole,
// and that the ledger adds up to the wallet.
func (in *importing) verify(ctx context.Context) error {
	for _, t := range in.manifest.Tables {
		lines, err := in.digested(ctx, t.File, t.Bytes, t.SHA256)
		if err != nil {
			return err
		}
		if lines != t.Rows {
			return refuse("%s has %d rows, but the manifest says %d", t.File, lines, t.Rows)
		}
	}
	for _, f := range in.manifest.Files {
		if _, err := in.digested(ctx, f.File, f.Bytes, f.SHA256); err != nil {
			return err
		}
	}
	if err := in.people(); err != nil {
		return err
	}
	if err := in.chain(ctx, chain.Audit, "audit_entries", ""); err != nil {
		return err
	}
	if err := in.chain(ctx, chain.Ledger, "ledger_transactions", "ledger_entries"); err != nil {
		return err
	}
	return in.balanced()
}

func (in *importing) digested(ctx context.Context, name string, size int64, sum string) (lines int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	content, err := in.file.Open(name, size)
	if err != nil {
		return 0, err
	}
	defer func() { _ = content.Close() }()
	found, lines, err := discard(content)
	if err == nil && found != sum {
		err = refuse("%s is not what was exported: its SHA-256 is not that of the manifest. Fix: copy the file once more, or export the company again", name)
	}
	return lines, err
}

// people reads the addresses of the company's people.
func (in *importing) people() error {
	rows, err := in.some("users")
	if err != nil {
		return err
	}
	defer func() { _ = rows.close() }()
	for {
		line, err := rows.parsed()
		if line == nil || err != nil {
			return err
		}
		if email := line.Text("email"); email != nil && line.Text("company_id") != nil {
			in.emails = append(in.emails, *email)
		}
	}
}

// balanced checks the sums of the ledger.
func (in *importing) balanced() error {
	wallet, err := in.wallet()
	if err != nil {
		return err
	}
	rows, err := in.some("ledger_entries")
	if err != nil {
		return err
	}
	defer func() { _ = rows.close() }()
	var books moving.Books
	for {
		line, err := rows.parsed()
		if err != nil {
			return err
		}
		if line == nil {
			break
		}
		account := line.Text("account")
		if account == nil {
			return rows.wrong(errors.New("it names no account"))
		}
		books.Add(credit.Account(*account), credit.Amount(line.Number("amount")))
	}
	if err := books.Balanced(wallet); err != nil {
		return refuse("%v", err)
	}
	return nil
}

// wallet reads the row of the wallet; nil where there is none.
func (in *importing) wallet() (*moving.Wallet, error) {
	rows, err := in.some("wallets")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.close() }()
	line, err := rows.parsed()
	if line == nil || err != nil {
		return nil, err
	}
	return &moving.Wallet{Balance: credit.Amount(line.Number("balance")), Held: credit.Amount(line.Number("held"))}, nil
}

package common

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/envelope"
	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

// isLost reports whether a secret is sealed with a key that the configuration lacks.
func (k secrets) isLost(stored []byte) bool {
	id := envelope.KeyOf(stored)
	return id != "" && !k.s.Secrets.Holds(id)
}

func (k secrets) Lost(ctx context.Context) (lost ports.LostSecrets, err error) {
	for _, table := range sealedTables {
		for after, more := []string(nil), true; more; {
			rows, err := k.read(ctx, table, after, lostRows)
			if err != nil {
				return lost, err
			}
			for _, row := range rows {
				if slices.ContainsFunc(row.values, k.isLost) {
					*countOf(&lost, table)++
				}
				after = row.key
			}
			more = len(rows) == lostRows
		}
	}
	return lost, nil
}

// lostRows is the number of rows that one query looks at.
const lostRows = 500

// countOf returns the counter of the lost secrets of a table.
func countOf(lost *ports.LostSecrets, table sealedTable) *int64 {
	switch table.name {
	case "signing_keys":
		return &lost.SigningKeys
	case "chain_keys":
		return &lost.ChainKeys
	case "webhooks":
		return &lost.Webhooks
	case "replays":
		return &lost.Answers
	case "pact_clients":
		return &lost.Recipients
	case "plan_links":
		return &lost.Links
	}
	return &lost.Certificates
}

func (k secrets) Discard(
	ctx context.Context, after ports.SecretPlace, limit int, instead ports.SecretRemedies,
) (out ports.Discarded, next *ports.SecretPlace, err error) {
	table := sealedTables[after.Table]
	rows, err := k.read(ctx, table, after.Key, limit)
	if err != nil {
		return out, nil, err
	}
	for _, row := range rows {
		if !slices.ContainsFunc(row.values, k.isLost) {
			continue
		}
		*countOf(&out.Lost, table)++
		if err := k.discard(ctx, table, row, instead, &out); err != nil {
			return out, nil, err
		}
	}
	switch {
	case len(rows) == limit:
		return out, &ports.SecretPlace{Table: after.Table, Key: rows[limit-1].key}, nil
	case after.Table+1 < len(sealedTables):
		return out, &ports.SecretPlace{Table: after.Table + 1}, nil
	}
	return out, nil, nil
}

// discard replaces the lost secrets of a row, or removes it where all of it can be made again.
func (k secrets) discard(ctx context.Context, table sealedTable, row sealedRow, instead ports.SecretRemedies, out *ports.Discarded) error {
	update := k.s.NewUpdate().TableExpr("? AS t", bun.Ident(table.name))
	remove := k.s.NewDelete().TableExpr("? AS t", bun.Ident(table.name))
	for i, column := range table.key {
		update = update.Where("CAST(t.? AS TEXT) = ?", bun.Ident(column), row.key[i])
		remove = remove.Where("CAST(t.? AS TEXT) = ?", bun.Ident(column), row.key[i])
	}
	switch table.name {
	case "chain_keys":
		return sqlstore.Run(ctx, update.Set("seed = ?", []byte{}))
	case "replays":
		return sqlstore.Run(ctx, update.Set("status = ?", instead.Answer.Status).Set("header = ?", sqlstore.JSONOf(instead.Answer.Header)).
			Set("body = ?", k.s.Secrets.Seal(row.place(table, 0), instead.Answer.Body)))
	case "pact_clients": // no events are sent to it until its owner enters the credential again
		return sqlstore.Run(ctx, update.Set("recipient_secret = '', recipient_id = '', token_url = '', events_url = ''").
			Set("updated_at = ?", sqlstore.StampAt(instead.At)))
	case "webhooks":
		var hook ports.WebhookPlace
		if err := k.s.NewSelect().Table("webhooks").Column("id", "company_id").Where("CAST(id AS TEXT) = ?", strings.Join(row.key, "")).
			Scan(ctx, &hook.ID, &hook.CompanyID); err != nil {
			return err
		}
		secret, err := instead.WebhookSecret()
		if err != nil {
			return err
		}
		out.Webhooks = append(out.Webhooks, hook)
		return sqlstore.Run(ctx, update.Set("secret = ?", k.s.SealText(row.place(table, 0), secret)).
			Set("previous_secret = ''").Set("previous_until = NULL").Set("is_active = ?", false).Set("disabled_reason = ?", instead.DisabledReason).
			Set("updated_at = ?", sqlstore.StampAt(instead.At)))
	}
	return sqlstore.Run(ctx, remove)
}

func (k secrets) Forget(ctx context.Context) (keys []string, err error) {
	var rows []sqlstore.SecretKeyRow
	if err := k.s.NewSelect().Model(&rows).OrderExpr("t.id").Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if !k.s.Secrets.Holds(row.ID) {
			keys = append(keys, row.ID)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return keys, sqlstore.Run(ctx, k.s.NewDelete().Model((*sqlstore.SecretKeyRow)(nil)).Where("t.id IN (?)", prepared.List(keys)))
}

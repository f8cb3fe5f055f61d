package chain_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/chain"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// built is a chain with its key.
type built struct {
	id    chain.ID
	key   chain.Key
	head  chain.Checkpoint
	marks []chain.Checkpoint
	links []chain.Linked
}

// build chains n rows of four values, two of them guarded, and keeps a checkpoint after the third.
func build(t *testing.T, n int) *built {
	t.Helper()
	key, err := chain.NewKey(make([]byte, 32))
	require.NoError(t, err)
	b := &built{id: chain.ID{Name: chain.Audit, CompanyID: 7}, key: key}
	for i := range n {
		row := chain.Row{ID: int64(10 + i), Fields: []chain.Field{
			{Name: "id", Value: new(fmt.Sprint(10 + i))}, {Name: "none"},
			{Name: "mail", Value: new(fmt.Sprintf(`"p%d@x.example"`, i)), Guarded: true}, {Name: "role", Value: new(`"owner"`), Guarded: true},
		}}
		var link chain.Link
		link, b.head, err = b.id.Append(b.head, row, fmt.Sprintf("salt%d", i))
		require.NoError(t, err)
		b.links = append(b.links, chain.Linked{Link: link, Row: &row})
		b.head.At = at
		b.head = key.Sign(b.head)
		if i == 2 {
			b.marks = append(b.marks, b.head)
		}
	}
	return b
}

func (b *built) verify(stray int64) *chain.Verifier {
	v := chain.NewVerifier(b.id, b.head, b.marks, []chain.Key{b.key})
	for _, l := range b.links {
		if l.Position > b.head.Purged {
			v.Next(l)
		}
	}
	v.End(stray)
	return v
}

func (b *built) broken(t *testing.T) chain.Break {
	t.Helper()
	found := b.verify(0).Broken()
	require.NotNil(t, found)
	return *found
}

// TestFormIsFixed holds the bytes that auditors recompute: docs/evidence.md states them.
func TestFormIsFixed(t *testing.T) {
	t.Parallel()
	b := build(t, 1)
	text, values := b.id.Open(*b.links[0].Row, b.links[0].Salts)
	require.Equal(t, `{"chain":"audit","id":"10","none":null,"mail":"d4d16bfce51d879aafca8687eec2af327459139a3a3226e22a969c27762ea49a",`, text[:strings.Index(text, `"role"`)])
	require.Equal(t, "tilth checkpoint audit 7 1 "+b.head.Hash+" 0 2026-03-01T12:00:00.000000Z "+b.key.ID, b.head.Message())
	require.Len(t, values, 2)
}

func TestWholeChains(t *testing.T) {
	t.Parallel()
	for n := range 6 {
		b := build(t, n)
		v := b.verify(0)
		require.Nil(t, v.Broken())
		rows, erased := v.Verified()
		require.EqualValues(t, n, rows)
		require.Zero(t, erased)
	}
}

// TestAnyByteIsFound changes every byte of every value of every row, link, checkpoint and head.
func TestAnyByteIsFound(t *testing.T) {
	t.Parallel()
	tried := 0
	for i := range 5 {
		for _, value := range []func(b *built) []*string{
			func(b *built) (out []*string) {
				for f := range b.links[i].Row.Fields {
					if v := b.links[i].Row.Fields[f].Value; v != nil {
						out = append(out, v)
					}
				}
				return out
			},
			func(b *built) []*string {
				l := &b.links[i]
				return []*string{(*string)(&l.Salts), &l.Digest, &l.Hash}
			},
		} {
			for n, v := range value(build(t, 5)) {
				for at := range *v {
					b := build(t, 5)
					v := value(b)[n]
					changed := []byte(*v)
					changed[at] ^= 1
					*v = string(changed)
					found := b.broken(t)
					require.Equal(t, chain.Changed, found.Kind)
					require.EqualValues(t, i+1, found.Position)
					require.EqualValues(t, 10+i, found.RowID)
					tried++
				}
			}
		}
	}
	for _, mark := range []func(b *built) *chain.Checkpoint{func(b *built) *chain.Checkpoint { return &b.marks[0] }, func(b *built) *chain.Checkpoint { return &b.head }} {
		for n := range 3 {
			text := func(b *built) *string {
				c := mark(b)
				return []*string{&c.Hash, &c.KeyID, &c.Signature}[n]
			}
			for at := range *text(build(t, 5)) {
				b := build(t, 5)
				v := text(b)
				changed := []byte(*v)
				changed[at] ^= 1
				*v = string(changed)
				require.Equal(t, chain.Forged, b.broken(t).Kind)
				tried++
			}
		}
	}
	require.Greater(t, tried, 1000)
}

func TestWhatIsDoneToAChainIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do       func(b *built)
		kind     chain.Kind
		position int64
	}{
		"a null becomes a value":         {func(b *built) { b.links[1].Row.Fields[1].Value = new("") }, chain.Changed, 2},
		"a value becomes null":           {func(b *built) { b.links[1].Row.Fields[2].Value = nil }, chain.Changed, 2},
		"a field is added":               {func(b *built) { b.links[1].Row.Fields = append(b.links[1].Row.Fields, chain.Field{Name: "x"}) }, chain.Changed, 2},
		"two rows change places":         {func(b *built) { b.links[1].Row, b.links[2].Row = b.links[2].Row, b.links[1].Row }, chain.Changed, 2},
		"a row goes":                     {func(b *built) { b.links[3].Row = nil }, chain.Gone, 4},
		"a row goes with its link":       {func(b *built) { b.links = slices.Delete(b.links, 3, 4) }, chain.Gone, 4},
		"the last goes with its link":    {func(b *built) { b.links = b.links[:4] }, chain.Gone, 5},
		"the head goes":                  {func(b *built) { b.head, b.marks = chain.Checkpoint{}, nil }, chain.Added, 1},
		"a head of another chain":        {func(b *built) { b.head.CompanyID = 8; b.head = b.key.Sign(b.head) }, chain.Forged, 5},
		"the head calls more purged":     {func(b *built) { b.head.Purged = 3 }, chain.Forged, 5},
		"the head is older":              {func(b *built) { b.head = b.marks[0] }, chain.Added, 4},
		"the checkpoint of a purge goes": {func(b *built) { b.head.Purged = 3; b.head = b.key.Sign(b.head); b.marks = nil }, chain.Gone, 3},
		"a checkpoint past the head":     {func(b *built) { b.marks[0].Position = 9; b.marks[0] = b.key.Sign(b.marks[0]) }, chain.Forged, 9},
		"everything is chained anew with another key": {func(b *built) {
			seed := make([]byte, 32)
			seed[0] = 1
			other, _ := chain.NewKey(seed)
			b.head, b.marks[0] = other.Sign(b.head), other.Sign(b.marks[0])
		}, chain.Forged, 5},
		"the rows are chained anew": {func(b *built) {
			b.links[4].Row.Fields[2].Value = new("x")
			link, _, _ := b.id.Append(chain.Checkpoint{ID: b.id, Position: 4, Hash: b.links[3].Hash}, *b.links[4].Row, "s")
			b.links[4].Link = link
		}, chain.Changed, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := build(t, 5)
			c.do(b)
			found := b.broken(t)
			require.Equal(t, c.kind, found.Kind, found.String())
			require.Equal(t, c.position, found.Position, found.String())
		})
	}
	found := build(t, 3).verify(99).Broken()
	require.Equal(t, chain.Break{Kind: chain.Added, RowID: 99, Detail: found.Detail}, *found)
}

func TestPurgedBelowACheckpoint(t *testing.T) {
	t.Parallel()
	b := build(t, 5)
	b.head.Purged = 3
	b.head = b.key.Sign(b.head)
	b.links = b.links[3:]
	v := b.verify(0)
	require.Nil(t, v.Broken())
	rows, _ := v.Verified()
	require.EqualValues(t, 2, rows)
	b.links = b.links[1:]
	require.Equal(t, chain.Gone, b.broken(t).Kind, "what is above the checkpoint is needed")
}

func TestErasedValuesLeaveTheChainWhole(t *testing.T) {
	t.Parallel()
	b := build(t, 3)
	mail := func(f chain.Field) bool { return f.Name == "mail" }
	row, salts, n := chain.Erase(*b.links[1].Row, b.links[1].Salts, mail)
	require.Equal(t, 1, n)
	require.Equal(t, chain.Erased, *row.Fields[2].Value)
	require.Equal(t, `"owner"`, *row.Fields[3].Value, "the other values stay")
	require.NotContains(t, string(salts), "salt1", "nobody can try values against the digest")
	b.links[1].Row, b.links[1].Salts = &row, salts
	v := b.verify(0)
	require.Nil(t, v.Broken())
	_, erased := v.Verified()
	require.EqualValues(t, 1, erased)
	_, again, n := chain.Erase(row, salts, mail)
	require.Zero(t, n)
	require.Equal(t, salts, again)

	row.Fields[2].Value = new(`"somebody@else.example"`)
	require.Equal(t, chain.Changed, b.broken(t).Kind, "nothing can be written in its place")
	row.Fields[2].Value, row.Fields[3].Value = new(chain.Erased), new(`"viewer"`)
	require.Equal(t, chain.Changed, b.broken(t).Kind)
}

func TestCanonicalJSON(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"b":1,"a":[ 2.50,"<é>"]}`: `{"a":[2.50,"\u003cé\u003e"],"b":1}`,
		`1e+21`:                     `1000000000000000000000`, `1e-7`: `0.0000001`, `-1.25e1`: `-12.5`, `1.5E3`: `1500`, `0.1e0`: `0.1`, `12e-1`: `1.2`,
		`9007199254740993`: `9007199254740993`, `0.10000000000000000001`: `0.10000000000000000001`, `null`: `null`, `true`: `true`,
		`-0`: `0`, `-0.0`: `0.0`, `-0e3`: `0`, `-0.5`: `-0.5`, `-10`: `-10`,
	} {
		got, err := chain.Canonical([]byte(raw))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, bad := range []string{``, `1 2`, `{`, `nul`} {
		_, err := chain.Canonical([]byte(bad))
		require.Error(t, err, bad)
	}
}

func TestKeysNameThemselves(t *testing.T) {
	t.Parallel()
	_, err := chain.NewKey([]byte("short"))
	require.Error(t, err)
	b := build(t, 1)
	require.True(t, b.head.Signed([]chain.Key{chain.PublicKey(b.key.Public)}))
	require.False(t, b.head.Signed(nil))
	raw, err := base64.StdEncoding.DecodeString(b.head.Signature)
	require.NoError(t, err)
	require.Len(t, raw, 64)
}

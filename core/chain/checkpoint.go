package chain

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"
)

// Checkpoint is a signed statement about a chain: its length, its last hash, and the position up to which its rows were
// removed because they were old. The newest is the head of the chain.
type Checkpoint struct {
	ID
	Position  int64
	Hash      string
	Purged    int64
	At        time.Time // when the row at the position was chained
	KeyID     string
	Signature string // base64
}

// Message returns what is signed: one line of text.
func (c Checkpoint) Message() string {
	return fmt.Sprintf("tilth checkpoint %s %d %d %s %d %s %s",
		c.Name, c.CompanyID, c.Position, c.Hash, c.Purged, c.At.UTC().Format("2006-01-02T15:04:05.000000Z"), c.KeyID)
}

// Key signs checkpoints.
type Key struct {
	ID      string
	Private ed25519.PrivateKey // nil: it only verifies
	Public  ed25519.PublicKey
}

// NewKey returns the key of a seed of 32 bytes. Its id is the beginning of the digest of its public half.
func NewKey(seed []byte) (Key, error) {
	if len(seed) != ed25519.SeedSize {
		return Key{}, fmt.Errorf("chain: a seed has %d bytes, not %d", ed25519.SeedSize, len(seed))
	}
	private := ed25519.NewKeyFromSeed(seed)
	key := PublicKey(private.Public().(ed25519.PublicKey))
	key.Private = private
	return key, nil
}

// PublicKey returns a key that only verifies.
func PublicKey(public ed25519.PublicKey) Key {
	sum := sha256.Sum256(public)
	return Key{ID: hex.EncodeToString(sum[:8]), Public: public}
}

// Sign signs a checkpoint.
func (k Key) Sign(c Checkpoint) Checkpoint {
	c.KeyID = k.ID
	c.Signature = base64.StdEncoding.EncodeToString(ed25519.Sign(k.Private, []byte(c.Message())))
	return c
}

// Signed reports whether one of the keys signed the checkpoint.
func (c Checkpoint) Signed(keys []Key) bool {
	signature, err := base64.StdEncoding.Strict().DecodeString(c.Signature)
	if err != nil {
		return false
	}
	for _, key := range keys {
		if key.ID == c.KeyID && ed25519.Verify(key.Public, []byte(c.Message()), signature) {
			return true
		}
	}
	return false
}

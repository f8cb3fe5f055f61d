// Package envelope seals the secrets that a database stores and must read again. An envelope
// names its key, and opens only in the place that it was sealed for.
package envelope

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"tilth/core/fault"
)

// An envelope is the text "sealed:1:KEY:BOX". KEY is the id of the key, 16 hexadecimal digits;
// BOX is, in base64url without padding, a random nonce of 12 bytes and the output of AES-256-GCM
// for the value, with the place of the value as additional data.
const (
	prefix   = "sealed:1:"
	keyBytes = 32
	idBytes  = 8
)

// Box seals with the first of its keys and opens with any. A nil Box has no key: it seals
// nothing, and returns what was never sealed.
type Box struct{ keys []key }

type key struct {
	id   string
	aead cipher.AEAD
}

// NewKey returns a new key as text: 32 random bytes in base64url without padding.
func NewKey() string {
	raw := make([]byte, keyBytes)
	_, _ = rand.Read(raw) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw)
}

// New reads keys, separated by commas or white space; the first one seals. It returns nil
// where there is none. Faults: Invalid (secret_key).
func New(text string) (*Box, error) {
	var b Box
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
		raw, err := base64.RawURLEncoding.DecodeString(one)
		if err != nil || len(raw) != keyBytes {
			return nil, fault.New(fault.Invalid, "secret_key",
				"A secret key is 43 characters, as `tilth secret create` prints it; several are separated by commas.")
		}
		k, err := derive(raw)
		if err != nil {
			return nil, err
		}
		b.keys = append(b.keys, k)
	}
	if len(b.keys) == 0 {
		return nil, nil
	}
	return &b, nil
}

// derive makes the cipher of a key, and the id that names it without revealing it.
func derive(raw []byte) (k key, err error) {
	id, err := hkdf.Key(sha256.New, raw, nil, "tilth secret key id", idBytes)
	if err != nil {
		return k, err
	}
	secret, err := hkdf.Key(sha256.New, raw, nil, "tilth secret key cipher", keyBytes)
	if err != nil {
		return k, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return k, err
	}
	k.id = hex.EncodeToString(id)
	k.aead, err = cipher.NewGCMWithRandomNonce(block)
	return k, err
}

// Current returns the id of the key that seals; empty where there is none.
func (b *Box) Current() string {
	if b == nil {
		return ""
	}
	return b.keys[0].id
}

// Holds reports whether the box has the key of an id.
func (b *Box) Holds(id string) bool { return b.find(id) != nil }

func (b *Box) find(id string) *key {
	if b == nil {
		return nil
	}
	if i := slices.IndexFunc(b.keys, func(k key) bool { return k.id == id }); i >= 0 {
		return &b.keys[i]
	}
	return nil
}

// KeyOf returns the id of the key of an envelope; empty for a value that is not one.
func KeyOf(stored []byte) string {
	rest, ok := bytes.CutPrefix(stored, []byte(prefix))
	if !ok || len(rest) <= 2*idBytes || rest[2*idBytes] != ':' {
		return ""
	}
	return string(rest[:2*idBytes])
}

// Seal returns the envelope of a value in a place, such as "webhooks/7/secret". An empty value
// stays empty.
func (b *Box) Seal(place string, value []byte) []byte {
	if b == nil || len(value) == 0 {
		return value
	}
	out := []byte(prefix + b.keys[0].id + ":")
	return base64.RawURLEncoding.AppendEncode(out, b.keys[0].aead.Seal(nil, nil, value, []byte(place)))
}

// Open returns the value that was sealed for a place, or what was never sealed as it is.
// Faults: Unavailable (secret_key_missing); Internal (secret_broken) for an envelope that was
// changed or moved.
func (b *Box) Open(place string, stored []byte) ([]byte, error) {
	id := KeyOf(stored)
	if id == "" {
		return stored, nil
	}
	k := b.find(id)
	if k == nil {
		return nil, Missing(fault.Unavailable, id)
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(string(stored[len(prefix)+2*idBytes+1:]))
	if err == nil {
		raw, err = k.aead.Open(nil, nil, raw, []byte(place))
	}
	if err != nil {
		return nil, fault.Newf(fault.Internal, "secret_broken", "The secret at %s was changed, or moved there from elsewhere.", place).Because(err)
	}
	return raw, nil
}

// Missing returns the fault of an envelope whose key is not held.
func Missing(kind fault.Kind, id string) error {
	return fault.Newf(kind, "secret_key_missing", "The database holds secrets that are sealed with the key %s, which is not configured. "+
		"Fix: set TILTH_SECRET_KEY or TILTH_SECRET_KEY_FILE to that key; several are separated by commas.", id)
}

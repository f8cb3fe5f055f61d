// Package identity proves who somebody is: argon2id passwords, signed access tokens,
// random identifiers. It decides no permission and stores nothing itself.
package identity

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/alexedwards/argon2id"
)

// Argon2id parameters: RFC 9106's second recommended option (64 MiB, three passes),
// for machines whose memory is shared with the rest of the server.
var hashing = &argon2id.Params{Memory: 64 * 1024, Iterations: 3, Parallelism: uint8(min(4, runtime.NumCPU())), SaltLength: 16, KeyLength: 32}

// Passwords hashes and checks passwords. At most two at a time, so that a flood of
// sign-ins cannot take the memory of the server.
type Passwords struct {
	slots chan struct{}
	dummy func() string
}

// NewPasswords makes the hasher.
func NewPasswords() *Passwords {
	return &Passwords{
		slots: make(chan struct{}, 2),
		dummy: sync.OnceValue(func() string {
			hash, _ := argon2id.CreateHash("nobody has this password", hashing)
			return hash
		}),
	}
}

// Hash gives the encoded argon2id hash of a password.
func (p *Passwords) Hash(password string) (string, error) {
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	return argon2id.CreateHash(password, hashing)
}

// Check reports whether a password fits a hash. An empty hash fits none, after the
// same time as a real one.
func (p *Passwords) Check(password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = p.dummy()
	}
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	return ok && known, nil
}

// Package floor is the least that a server of fields can do: net/http and the driver, with the same token check, scope
// and audit as the program, on the same tables. What the program costs beyond that is the price of its rules and layers.
package floor

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// Handler serves the fields of the database at an address until the context ends.
func Handler(ctx context.Context, address string) (http.Handler, error) {
	db, err := openStore(ctx, address)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, db.close)
	f := &floor{store: db, keys: map[string]ed25519.PublicKey{}}
	err = db.ask(ctx, "SELECT id, seed FROM signing_keys", nil, func(scan func(...any) error) error {
		var id string
		var seed []byte
		if err := scan(&id, &seed); err != nil {
			return err
		}
		f.keys[id] = ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
		return nil
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1.2/field/{id}/", f.with("field.view", f.retrieve))
	mux.HandleFunc("GET /api/v1.2/field/", f.with("field.view", f.list))
	mux.HandleFunc("POST /api/v1.2/field/", f.with("field.create", f.create))
	return mux, err
}

type floor struct {
	store
	keys  map[string]ed25519.PublicKey
	slugs sync.Map // map[string]bool by held
}

// held is a user at a version of the policy of its company.
type held struct{ user, version int64 }

type caller struct {
	user, company, version int64
	name, companyName      string
	disabled               bool
}

var (
	errUnauthenticated = errors.New("unauthenticated")
	errForbidden       = errors.New("forbidden")
	errNotFound        = errors.New("not found")
)

var statuses = map[error]int{errUnauthenticated: 401, errForbidden: 403, errNotFound: 404}

// with responds with what do returns, to a caller who holds a slug.
func (f *floor) with(slug string, do func(r *http.Request, who caller) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := f.authenticate(r.Context(), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if err == nil {
			err = f.require(r.Context(), who, slug)
		}
		var data any
		if err == nil {
			data, err = do(r, who)
		}
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			status, known := statuses[err]
			if !known {
				status = 500
			}
			http.Error(w, err.Error(), status)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "message": "Success.", "data": data})
	}
}

// authenticate checks the token and that its user is not disabled, at this moment.
func (f *floor) authenticate(ctx context.Context, bearer string) (who caller, err error) {
	var claims jwt.RegisteredClaims
	_, err = jwt.ParseWithClaims(bearer, &claims, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		return f.keys[id], nil
	}, jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithIssuer("tilth"), jwt.WithAudience("tilth"), jwt.WithExpirationRequired())
	if err != nil {
		return who, errUnauthenticated
	}
	if who.user, err = strconv.ParseInt(claims.Subject, 10, 64); err != nil {
		return who, errUnauthenticated
	}
	err = f.ask(ctx, "SELECT u.company_id, u.name, u.disabled, c.name, c.policy_version FROM users AS u JOIN companies AS c ON c.id = u.company_id WHERE u.id = $1",
		[]any{who.user}, func(scan func(...any) error) error {
			return scan(&who.company, &who.name, &who.disabled, &who.companyName, &who.version)
		})
	if err == nil && (who.company == 0 || who.disabled) {
		err = errUnauthenticated
	}
	return who, err
}

// require refuses a caller without a slug. What a user holds is read once per version of the policy.
func (f *floor) require(ctx context.Context, who caller, slug string) error {
	key := held{who.user, who.version}
	known, ok := f.slugs.Load(key)
	if !ok {
		slugs := map[string]bool{}
		err := f.ask(ctx, "SELECT s.slug FROM user_roles AS u JOIN roles AS r ON r.id = u.role_id JOIN role_slugs AS s ON s.role_id = r.id WHERE u.user_id = $1 AND r.company_id = $2",
			[]any{who.user, who.company}, func(scan func(...any) error) error {
				var one string
				err := scan(&one)
				slugs[one] = true
				return err
			})
		if err != nil {
			return err
		}
		known, _ = f.slugs.LoadOrStore(key, slugs)
	}
	slugs := known.(map[string]bool)
	if slugs["*"] || slugs[slug] || slugs[slug[:strings.IndexByte(slug, '.')+1]+"*"] {
		return nil
	}
	return errForbidden
}

func (f *floor) retrieve(r *http.Request, who caller) (any, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, errNotFound
	}
	found, err := f.fields(r.Context(), "t.company_id = $1 AND t.deleted_at IS NULL AND t.id = $2", who.company, id)
	if err == nil && len(found) == 0 {
		err = errNotFound
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func (f *floor) list(r *http.Request, who caller) (any, error) {
	out := struct {
		Count    int64    `json:"count"`
		Next     *string  `json:"next"`
		Previous *string  `json:"previous"`
		Results  []*field `json:"results"`
	}{}
	err := f.ask(r.Context(), "SELECT COUNT(*) FROM fields WHERE company_id = $1 AND deleted_at IS NULL", []any{who.company},
		func(scan func(...any) error) error { return scan(&out.Count) })
	if err != nil {
		return nil, err
	}
	if out.Count > pageSize {
		out.Next = new("http://" + r.Host + "/api/v1.2/field/?page=2")
	}
	out.Results, err = f.fields(r.Context(), fmt.Sprintf("t.company_id = $1 AND t.deleted_at IS NULL ORDER BY t.id LIMIT %d", pageSize), who.company)
	return out, err
}

// pageSize is the program's.
const pageSize = 10

// create stores one field or an array of them, each with its entry of the audit trail.
func (f *floor) create(r *http.Request, who caller) (any, error) {
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	bulk := len(body) > 0 && body[0] == '['
	if !bulk {
		body = slices.Concat([]byte("["), body, []byte("]"))
	}
	var sent []written
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	made := make([]*field, len(sent))
	err := f.write(r.Context(), func(ask asks) error {
		farms := map[int64]string{}
		for i, w := range sent {
			if _, known := farms[w.FarmID]; !known {
				err := ask(r.Context(), "SELECT name FROM farms WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL", []any{who.company, w.FarmID},
					func(scan func(...any) error) error {
						var name string
						err := scan(&name)
						farms[w.FarmID] = name
						return err
					})
				if err != nil {
					return err
				}
			}
			name, known := farms[w.FarmID]
			if !known || w.Name == "" || len(w.Name) > 255 {
				return errNotFound
			}
			made[i] = &field{
				written: w, UUID: uuid.NewString(), CreatedAt: now, UpdatedAt: now, Warnings: []string{}, lineage: asMade, CompanyID: who.company,
				CreatedBy: &named{who.user, who.name}, Company: named{who.company, who.companyName}, Farm: named{w.FarmID, name},
			}
		}
		return insert(r.Context(), ask, made)
	})
	if err != nil {
		return nil, err
	}
	if bulk {
		return made, nil
	}
	return made[0], nil
}

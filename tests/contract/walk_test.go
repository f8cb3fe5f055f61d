package contract

import (
	"net/http"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	outlinesapp "tilth/app/farm/outlines"
	"tilth/core/access"
	"tilth/tests/rig"
)

// documentedRoute is a method of a path in the OpenAPI document.
type documentedRoute struct {
	method, path, slug string // path below the base
	public             bool
	client             bool   // called by other systems: users are strangers to it
	stream             bool   // its answer never ends
	query              string // its required parameters, preceded by a question mark
}

func documentedRoutes(t *testing.T) []documentedRoute {
	var out []documentedRoute
	for path, item := range rig.Document(t).Paths.Map() {
		for method, op := range item.Operations() {
			slug, _ := op.Extensions["x-permission"].(string)
			if slug == string(access.Operate.Slug()) {
				continue // no role and no key opens it: TestOnlyOperatorsOperate walks these
			}
			stream := op.Responses.Value("200") != nil && op.Responses.Value("200").Value.Content["text/event-stream"] != nil
			public := op.Security != nil && len(*op.Security) == 0
			client := op.Security != nil && !public && (*op.Security)[0]["pactBearer"] != nil
			query := url.Values{}
			for _, p := range op.Parameters {
				if p.Value.In == "query" && p.Value.Required {
					query.Set(p.Value.Name, "1")
				}
			}
			out = append(out, documentedRoute{method, strings.TrimPrefix(path, "/api/v1.2/"), slug, public, client, stream, "?" + query.Encode()})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].path+out[i].method < out[j].path+out[j].method })
	return out
}

var parameter = regexp.MustCompile(`\{[a-z_]+\}`)

// global names the resources that belong to no company.
var global = map[string]bool{"crop/": true}

// furnish makes one record of every resource that has routes with an id for a company. It
// shares everything with another company, which accepts, and returns that company's owner.
func furnish(t *testing.T, s *rig.Server, c *rig.Client) (grantee *rig.Client) {
	t.Helper()
	land := c.Land(rig.Square(300, 0), "2099-01-01", "2099-12-31")
	c.Expect(200, http.MethodPost, rig.OrdersPath, land.OrderBody())
	c.Make("fertilization/", map[string]any{"cultivation_id": land.Cultivation, "applied_on": "2099-03-01"})
	c.Make("invitation/", map[string]any{"email": "guest@walk.example", "roles": []string{access.RoleViewer}})
	c.Make("api-key/", map[string]any{"name": "key"})
	c.Make("pact-client/", map[string]any{"name": "Mill"})
	c.Make("webhook/", map[string]any{"url": "https://hooks.walk.example/", "is_active": false})
	assess(t, c, map[string]any{"resource_type": "field", "resource_id": land.Field, "fertilizers": []any{map[string]any{"product": "urea"}}})
	s.Subscribe(c)
	sampled(t, c)
	grantee = s.Company(access.RoleOwner, 0)
	s.Subscribe(grantee)
	grant := c.Make("share-grant/", map[string]any{"grantee_uuid": grantee.UUID(), "target": "all", "slugs": access.GrantableSlugs})
	grantee.Expect(200, http.MethodPost, path("share-grant", grant)+"accept/", nil)
	return grantee
}

// sampleID returns the id of the company's first record below a path with {id}, as its
// list names it. A resource without records needs one in furnish.
func sampleID(t *testing.T, c *rig.Client, path string) string {
	t.Helper()
	list, _, _ := strings.Cut(path, "{")
	switch list { // some paths that create or change records have no list of them
	case ordersOfAOIs:
		list = dataOrders
	case mapsPath:
		return mapped(t, c)["map_uuid"].(string)
	case plansPath:
		return planned(t, c)["map_uuid"].(string)
	case "link/":
		return "AQHwCqDRoXd4yVn3tFh4mDk2sQ" // a token, which is not the id of a record
	case planLinksPath: // printed
		c.Expect(200, http.MethodGet, plansPath+planned(t, c)["map_uuid"].(string)+"/export/?format=pdf", nil)
	case mapJobs:
		again := c.Expect(200, http.MethodPost, mapsPath+"generate/", map[string]any{"order": mapped(t, c)["order"]})
		return itoa(int64(again.Data(t)["job_id"].(float64)))
	}
	switch list {
	case importPrefix:
		return itoa(backgroundImport(t, c))
	case exportPrefix:
		return itoa(int64(c.Expect(202, http.MethodPost, exportPrefix, nil).Data(t)["id"].(float64)))
	}
	if strings.HasPrefix(list, "maps/") && len(c.Expect(200, http.MethodGet, list, nil).Map(t)["data"].([]any)) == 0 {
		profile := c.Expect(200, http.MethodGet, rig.OrdersPath, nil).Map(t)["data"].([]any)[0].(map[string]any)
		body := map[string]any{"field_uuid": profile["field_uuid"], "season_id": profile["season"]}
		if list != viMapsPath && list != zoningMapsPath {
			delete(body, "season_id") // these maps have no season
		}
		c.Expect(200, http.MethodPost, list, body)
	}
	if id, ok := backgroundBatch(t, c, list); ok {
		return itoa(id)
	}
	if product, _, is := strings.Cut(strings.TrimPrefix(list, "stac/collections/"), "/"); is && strings.HasPrefix(list, "stac/") {
		if product == "soil-map" {
			return "999999" // it needs a raster that an operator registered
		}
		finishedItem(t, c, product)
	}
	answer := c.Expect(200, http.MethodGet, list, nil).Map(t)
	records, ok := answer["data"].([]any)
	if page, paged := answer["data"].(map[string]any); paged {
		records, ok = page["results"].([]any)
	}
	if features, is := answer["features"].([]any); is {
		records, ok = features, true
	}
	require.True(t, ok && len(records) > 0, "the company has nothing at %s: give it one in furnish", list)
	record := records[0].(map[string]any)
	for _, name := range []string{"id", "order_id", "uuid"} {
		switch id := record[name].(type) {
		case float64:
			return itoa(int64(id))
		case string:
			return id
		}
	}
	t.Fatalf("a record of %s has no id: %v", list, record)
	return ""
}

// finishedItem orders a product that STAC shows and waits for it, unless there is one.
func finishedItem(t *testing.T, c *rig.Client, product string) {
	t.Helper()
	if len(stacAt(t, c, product+"/items").Features) > 0 {
		return
	}
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	body := land.OrderBody()
	switch product {
	case "vegetation-index-profile":
		c.Until(int64(c.Expect(200, http.MethodPost, rig.OrdersPath, body).Data(t)["order_id"].(float64)), "active")
		return
	case "elevation-map":
		body = map[string]any{"field_uuid": land.FieldUUID}
	}
	require.Equal(t, "active", mapAt(t, c, "maps/"+product+"/orders/", body)["status"])
}

// below fills in the parameters of paths below an assessment: a section, and its first item.
func below(t *testing.T, c *rig.Client, path, assessment string) string {
	t.Helper()
	const section = "fertilizers"
	if strings.Contains(path, "{item_id}") {
		items := c.Expect(200, http.MethodGet, assessmentsPath+assessment+"/sections/"+section+"/", nil).Map(t)["data"].([]any)
		path = strings.Replace(path, "{item_id}", itoa(int64(items[0].(map[string]any)["id"].(float64))), 1)
	}
	return strings.Replace(path, "{section}", section, 1)
}

// The resources without a list: the reports of background imports, and exports of companies.
const (
	importPrefix = "field/import/"
	exportPrefix = "company/export/"
)

// backgroundImport begins an import that is large enough for the background, of features without outlines.
func backgroundImport(t *testing.T, c *rig.Client) int64 {
	t.Helper()
	const none = `{"type":"Feature","properties":{},"geometry":null}`
	body := `{"type":"FeatureCollection","features":[` + strings.Repeat(none+",", outlinesapp.MaxImportedAtOnce) + none + "]}"
	return *importOf(t, c.Upload(importPath(newFarm(c), ""), mediaGeoJSON, strings.NewReader(body)), 202).JobID
}

// Every route of the document, called by those who must be refused: nobody, roles that
// lack the slug, and the owner of another company who knows real ids. A new route is
// covered without a change to this test.
func TestEveryRouteKeepsStrangersOut(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, stranger, nobody := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1000_00), s.Anonymous()
		grantee := furnish(t, s, owner)
		rig.Exec(t, database, `INSERT INTO own_curves (company_id, curves, figures, left_out, created_at)
			SELECT id, '{}', '{}', '{}', created_at FROM companies WHERE id = `+itoa(owner.CompanyID))
		s.Subscribe(stranger)
		roles := map[string]*rig.Client{}
		patterns := map[string][]string{}
		for _, role := range access.DefaultRoles() {
			roles[role.Name], patterns[role.Name] = s.User(owner.CompanyID, role.Name), role.Slugs
		}
		routes := documentedRoutes(t)
		require.Greater(t, len(routes), 25)
		samples := map[string]string{}
		sample := func(path string) string {
			list, _, _ := strings.Cut(path, "{")
			if samples[list] == "" {
				samples[list] = sampleID(t, owner, path)
			}
			return samples[list]
		}
		for _, r := range routes {
			path := r.path
			list, _, hasID := strings.Cut(path, "{")
			if r.client {
				for _, c := range []*rig.Client{nobody, owner, stranger} {
					require.Equal(t, 401, c.Do(r.method, parameter.ReplaceAllString(path, someID), `{}`).Status, "%s %s by a user", r.method, r.path)
				}
				continue
			}
			if hasID {
				// For a record below a record only the first id is real: its owner decides.
				path = below(t, owner, r.path, sample(r.path))
				path = parameter.ReplaceAllString(path, sample(r.path)) + r.query
			}
			if r.public {
				if a := nobody.Do(r.method, path, `{}`); a.Status != http.StatusNoContent {
					require.NotEqual(t, 401, a.Map(t)["code"], "%s %s", r.method, r.path)
				}
				continue
			}
			require.Equal(t, 401, nobody.Do(r.method, path, `{}`).Status, "%s %s without a token", r.method, r.path)
			if r.slug != "" {
				lackingRoles(t, r, path, roles, patterns)
			}
			if hasID && !global[list] {
				a := stranger.Do(r.method, path, `{}`)
				require.Equal(t, 404, a.Status, "%s %s by the owner of another company: %s", r.method, path, a.Body)
				readsOnly(t, owner, grantee, r, path)
			}
		}
		// Afterwards the owner still has everything.
		for list, id := range samples {
			switch _, batch := strings.CutPrefix(list, assessmentsPath); {
			case list == importPrefix, list == exportPrefix, batch && list != assessmentsPath:
				owner.Expect(200, http.MethodGet, list+id+"/", nil)
			default:
				require.Equal(t, id, sampleID(t, owner, list+"{id}/"))
			}
		}
	})
}

// readsOnly checks that a grantee can only read, whatever grants may permit: only reads with
// ?share=true find what is shared with it. The grantee may read and answer the grant itself.
func readsOnly(t *testing.T, owner, grantee *rig.Client, r documentedRoute, path string) {
	t.Helper()
	if strings.HasPrefix(r.path, "share-grant/") {
		return
	}
	require.Equal(t, 404, grantee.Do(r.method, path, `{}`).Status, "%s %s by a grantee that asks for its own", r.method, path)
	if strings.HasPrefix(r.path, "ogc/") || strings.HasPrefix(r.path, "stac/") { // these contain only the caller's own records, and have no shares
		return
	}
	status := grantee.Do(r.method, path+"&share=true", `{}`).Status
	if r.method == http.MethodGet {
		if status != http.StatusNotFound { // what is shared is answered as for its owner
			require.Equal(t, owner.Do(r.method, path, nil).Status, status, "%s %s of what is shared", r.method, path)
		}
		return
	}
	if strings.HasPrefix(r.path, "maps/") && strings.HasSuffix(r.path, "/{id}/links/") { // this changes nothing, and opens no more than its maker may read
		require.Equal(t, 200, status)
		return
	}
	require.Equal(t, 404, status, "%s %s of what is shared", r.method, path)
}

func lackingRoles(t *testing.T, r documentedRoute, path string, roles map[string]*rig.Client, patterns map[string][]string) {
	t.Helper()
	for role, c := range roles {
		has := false
		for _, pattern := range patterns[role] {
			has = has || access.Match(pattern, access.Slug(r.slug))
		}
		if has {
			continue
		}
		a := c.Do(r.method, path, `{}`)
		require.Equal(t, 403, a.Status, "%s %s as %s: %s", r.method, path, role, a.Body)
		m := a.Map(t)
		require.Equal(t, "permission_denied", m["code"])
		require.Equal(t, r.slug, m["details"].(map[string]any)["required_permission"])
	}
}

// A stranger's lists and single records show nothing of another company.
func TestListsShowNothingOfOthers(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, stranger := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1000_00)
		furnish(t, s, owner)
		s.Subscribe(stranger)
		for _, r := range documentedRoutes(t) {
			if r.method != http.MethodGet || strings.Contains(r.path, "{") || r.public || r.client || r.stream || global[r.path] {
				continue
			}
			for _, query := range []string{"", "?share=true", "?company=" + itoa(owner.CompanyID)} {
				a := stranger.Do(http.MethodGet, r.path+query, nil)
				if a.Status == 400 {
					continue // a required parameter
				}
				require.Equal(t, 200, a.Status, "%s: %s", r.path, a.Body)
				require.NotContains(t, string(a.Body), owner.Email)
				if kind := a.Header.Get("Content-Type"); !strings.Contains(kind, "json") || strings.Contains(kind, "ndjson") {
					continue // a file
				}
				switch data := a.Map(t)["data"].(type) {
				case map[string]any:
					if results, ok := data["results"]; ok {
						require.Empty(t, results, r.path+query)
						require.EqualValues(t, 0, data["count"], r.path+query)
					}
				}
			}
		}
	})
}

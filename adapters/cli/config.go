package cli

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/spf13/pflag"
)

// DefaultSTAC is the open STAC API that serves imagery if no address is set.
const DefaultSTAC = "https://earth-search.aws.element84.com/v1"

// Config is all settings, from environment variables or flags, in the order in which they are printed.
type Config struct {
	Addr                string        `env:"TILTH_ADDR" envDefault:"127.0.0.1:8080" help:"address to listen on, HOST:PORT"`
	AdminAddr           string        `env:"TILTH_ADMIN_ADDR" help:"address of /metrics and /debug/pprof/, HOST:PORT, or off; empty: 127.0.0.1:8081 where it is free"`
	DatabaseURL         string        `env:"TILTH_DATABASE_URL" envDefault:"sqlite:tilth-data/tilth.db" show:"hidden" help:"sqlite:PATH or postgres://…"`
	DatabaseReadURL     string        `env:"TILTH_DATABASE_READ_URL" show:"hidden" help:"hot standby of the PostgreSQL database, postgres://…, from which files and long lists are read, provided that it has everything that was written before; empty: none"`
	BrokerURL           string        `env:"TILTH_BROKER_URL" show:"servers" help:"NATS servers that carry events, nats://USER:PASSWORD@HOST:PORT or tls://…, comma-separated, with ?creds=FILE and the like; empty: events stay in the database only"`
	BrokerStream        string        `env:"TILTH_BROKER_STREAM" envDefault:"tilth" help:"name of the stream of this installation, and first word of its subjects: NAME.COMPANY.TYPE"`
	BrokerKeep          time.Duration `env:"TILTH_BROKER_KEEP" envDefault:"168h" help:"how long events stay in the stream, 1h or more"`
	BrokerBytes         int64         `env:"TILTH_BROKER_BYTES" envDefault:"1073741824" help:"bytes that the stream may hold; the oldest events leave it first"`
	BrokerCopies        int           `env:"TILTH_BROKER_COPIES" envDefault:"1" help:"nodes of a NATS cluster that hold a newly created stream: 3 survives the loss of one"`
	ImageryURL          string        `env:"TILTH_IMAGERY_URL" show:"hidden" help:"folder with a static STAC catalog (catalog.json), or address of a STAC API; empty: the open Earth Search API"`
	ImageryCache        int64         `env:"TILTH_IMAGERY_CACHE" envDefault:"4096" help:"MiB of disk in which a server keeps blocks of imagery, so that fields in one block read it only once; 0: none"`
	ImageryCacheDir     string        `env:"TILTH_IMAGERY_CACHE_DIR" envDefault:"tilth-data/imagery-cache" help:"folder of those blocks, which servers of one machine may share"`
	ImageryRequests     int           `env:"TILTH_IMAGERY_REQUESTS" envDefault:"16" help:"requests that are sent to a host of imagery at a time"`
	ImageryTimeout      time.Duration `env:"TILTH_IMAGERY_TIMEOUT" envDefault:"5s" help:"how long a host of imagery may send nothing before a request is tried again; a search of an API may take six times that"`
	ObjectsURL          string        `env:"TILTH_OBJECTS_URL" envDefault:"file:tilth-data/objects" show:"hidden" help:"where uploads, rasters, evidence and photos are kept: file:PATH, a folder that all servers of the database share, or s3://BUCKET/PREFIX?endpoint=https://HOST; keys come from the AWS_* variables"`
	ClimateFile         string        `env:"TILTH_CLIMATE_FILE" help:"CSV file of monthly climate for soil carbon by the Tier 2 method, where an assessment holds none; empty: none"`
	ClimateDistance     float64       `env:"TILTH_CLIMATE_DISTANCE" envDefault:"30" help:"how far away a cell or station of that file may be, in km"`
	DemoDir             string        `env:"TILTH_DEMO_DIR" envDefault:"tilth-data/demo-imagery" help:"folder of the demo's synthetic imagery"`
	BasemapURL          string        `env:"TILTH_BASEMAP_URL" show:"hidden" help:"map under the fields in the console: an archive of tiles (PMTiles), a file or an address, https://…; empty: a plain background"`
	SecretKey           string        `env:"TILTH_SECRET_KEY" show:"masked" help:"key with which stored secrets are sealed; a second one, after a comma, opens what it sealed earlier; empty: they are stored unsealed"`
	SecretKeyFile       string        `env:"TILTH_SECRET_KEY_FILE" help:"file with the same content, instead of TILTH_SECRET_KEY"`
	PublicURL           string        `env:"TILTH_PUBLIC_URL" help:"base of the links in answers; empty: taken from the request"`
	TLSCert             string        `env:"TILTH_TLS_CERT" help:"file of the server's certificate, PEM; empty: plain HTTP"`
	TLSKey              string        `env:"TILTH_TLS_KEY" help:"file of its key, PEM"`
	ACMEDomains         string        `env:"TILTH_ACME_DOMAINS" help:"names whose certificates the server fetches and renews by itself, comma-separated; setting them accepts the terms of the authority"`
	ACMEDirectory       string        `env:"TILTH_ACME_DIRECTORY" envDefault:"https://acme-v02.api.letsencrypt.org/directory" help:"authority that certificates are fetched from"`
	ACMERoots           string        `env:"TILTH_ACME_ROOTS" help:"file with the certificates by which the authority's directory is trusted, PEM; empty: those of the system"`
	ACMEEmail           string        `env:"TILTH_ACME_EMAIL" help:"address that the authority writes to; empty: none"`
	ACMEEABID           string        `env:"TILTH_ACME_EAB_ID" help:"id of the key that binds the account to one by which the authority knows you; empty: it requires none"`
	ACMEEABKey          string        `env:"TILTH_ACME_EAB_KEY" show:"masked" help:"that key (HMAC), base64url, as the authority gave it"`
	ACMEHTTPAddr        string        `env:"TILTH_ACME_HTTP_ADDR" help:"HOST:PORT that answers challenges over plain HTTP (http-01) and redirects to HTTPS, such as :80; empty: challenges are answered on TILTH_ADDR (tls-alpn-01)"`
	Hosts               string        `env:"TILTH_HOSTS" help:"names under which the server is reached, comma-separated: the links in the answer to a request under another name lead to the first; empty: those of TILTH_ACME_DOMAINS, or any name"`
	TrustedProxies      string        `env:"TILTH_TRUSTED_PROXIES" help:"networks whose X-Forwarded-* headers count, comma-separated CIDRs"`
	OIDCIssuer          string        `env:"TILTH_OIDC_ISSUER" help:"OpenID Connect issuer whose access tokens are accepted too; empty: none"`
	OIDCAudience        string        `env:"TILTH_OIDC_AUDIENCE" help:"audience that its tokens must be issued for"`
	OIDCClientID        string        `env:"TILTH_OIDC_CLIENT_ID" help:"client with which the console signs people in at that issuer (code flow with PKCE); empty: the console accepts only passwords"`
	OIDCClientSecret    string        `env:"TILTH_OIDC_CLIENT_SECRET" show:"masked" help:"secret of that client; empty: it is a public client"`
	OIDCEmailClaim      string        `env:"TILTH_OIDC_EMAIL_CLAIM" envDefault:"email" help:"claim of its tokens that holds the e-mail address of the user"`
	OIDCVerified        bool          `env:"TILTH_OIDC_EMAIL_VERIFIED" envDefault:"true" help:"accept its tokens only with email_verified: true; false also accepts those without the claim"`
	BuiltinIssuer       bool          `env:"TILTH_BUILTIN_ISSUER" envDefault:"true" help:"issue and accept Tilth's own access tokens; false leaves it to the OpenID Connect issuer"`
	CORSOrigins         string        `env:"TILTH_CORS_ORIGINS" help:"origins whose pages may call the interface from a browser, comma-separated; empty: none"`
	SMTPURL             string        `env:"TILTH_SMTP_URL" show:"hidden" help:"mail server for invitations and new passwords, smtp://USER:PASSWORD@HOST:PORT or smtps://…; empty: letters are printed on the terminal"`
	MailFrom            string        `env:"TILTH_MAIL_FROM" help:"sender of letters, such as Tilth <tilth@example.org>"`
	EngineID            string        `env:"TILTH_ENGINE_ID" help:"name of the external calculation engine in results, such as farmcalc"`
	EngineURL           string        `env:"TILTH_ENGINE_URL" show:"hidden" help:"address of an external calculation engine; empty: none. Companies use it once it is chosen for them with the command tilth engine set"`
	EngineToken         string        `env:"TILTH_ENGINE_TOKEN" show:"masked" help:"bearer token for the external engine"`
	OTLPEndpoint        string        `env:"OTEL_EXPORTER_OTLP_ENDPOINT" show:"hidden" help:"OpenTelemetry collector to which spans and figures are sent over OTLP/HTTP, such as http://localhost:4318; empty: none. The other OTEL_* variables of the specification apply too"`
	LogFormat           string        `env:"TILTH_LOG_FORMAT" envDefault:"text" help:"text or json"`
	LogLevel            string        `env:"TILTH_LOG_LEVEL" envDefault:"info" help:"debug, info, warn or error"`
	Roles               string        `env:"TILTH_ROLES" envDefault:"api,worker,relay" help:"what this process does: api answers requests, worker runs jobs and tidies up, relay carries events to their consumers; tilth worker is worker,relay"`
	Workers             int           `env:"TILTH_WORKERS" envDefault:"2" help:"background jobs that run at a time"`
	PasswordMemory      uint32        `env:"TILTH_PASSWORD_MEMORY" envDefault:"64" help:"MiB that hashing a password takes, 12 to 4096: more resists guessing better"`
	RateLimit           float64       `env:"TILTH_RATE_LIMIT" envDefault:"50" help:"requests per second from a user, or from an address before it is known whose they are, in bursts of four times that; 0: no limit of any kind"`
	MaxAPIKeys          int64         `env:"TILTH_MAX_API_KEYS" envDefault:"500" help:"API keys that a company may have"`
	MaxInvitations      int64         `env:"TILTH_MAX_INVITATIONS" envDefault:"1000" help:"open invitations that a company may have"`
	MaxWebhooks         int64         `env:"TILTH_MAX_WEBHOOKS" envDefault:"50" help:"webhooks that a company may have"`
	MaxPACTClients      int64         `env:"TILTH_MAX_PACT_CLIENTS" envDefault:"200" help:"PACT clients that a company may have"`
	PACTAllowHTTP       bool          `env:"TILTH_PACT_ALLOW_HTTP" help:"serve product footprints without TLS to other machines too; for where a proxy that is not among TILTH_TRUSTED_PROXIES terminates TLS"`
	MaxPendingJobs      int64         `env:"TILTH_MAX_PENDING_JOBS" envDefault:"20000" help:"unfinished pieces of background work that a company may have"`
	MaxEvidenceBytes    int64         `env:"TILTH_MAX_EVIDENCE_BYTES" envDefault:"20971520" help:"size of a file that is attached to an assessment as evidence"`
	MaxEvidenceFiles    int           `env:"TILTH_MAX_EVIDENCE_FILES" envDefault:"200" help:"files of evidence that an assessment may have"`
	MaxPhotoBytes       int64         `env:"TILTH_MAX_PHOTO_BYTES" envDefault:"20971520" help:"size of a photo of a soil sample"`
	MaxPhotos           int           `env:"TILTH_MAX_PHOTOS" envDefault:"20" help:"photos that a soil sample may have"`
	CompanyRateLimit    float64       `env:"TILTH_COMPANY_RATE_LIMIT" envDefault:"200" help:"requests per second from all users of a company together; 0: no limit"`
	SignInRateLimit     float64       `env:"TILTH_SIGN_IN_RATE_LIMIT" envDefault:"10" help:"requests per second from an address for tokens, passwords and invitations; 0: no limit"`
	UnknownNames        string        `env:"TILTH_UNKNOWN_NAMES" envDefault:"refuse" help:"unknown members, query parameters and columns: refuse them, or ignore them and list them in the header Tilth-Ignored"`
	MaxBulk             int           `env:"TILTH_MAX_BULK" envDefault:"1000" help:"items a bulk request may hold"`
	OverlapSteps        int64         `env:"TILTH_OVERLAP_STEPS" envDefault:"5000000" help:"pairs of edges that a request compares to find fields that overlap; what is left is checked in the background"`
	MaxLongLists        int           `env:"TILTH_MAX_LONG_LISTS" envDefault:"4" help:"whole lists of more than 1000 records that a company may read at a time"`
	CompanyShare        float64       `env:"TILTH_COMPANY_SHARE" envDefault:"0.25" help:"share of the processors that a company may use without its requests taking turns, while other companies are at work, up to 1"`
	BulkShare           float64       `env:"TILTH_BULK_SHARE" envDefault:"0.03" help:"share of the time that the large bodies of a company may take while other companies are at work, up to 1"`
	BodyMemory          int64         `env:"TILTH_BODY_MEMORY" envDefault:"134217728" help:"bytes of all large request bodies in progress; at least four times TILTH_MAX_BODY_BYTES is used"`
	MaxBodyBytes        int64         `env:"TILTH_MAX_BODY_BYTES" envDefault:"8388608" help:"size of a request body"`
	WebhookAllowHTTP    bool          `env:"TILTH_WEBHOOK_ALLOW_HTTP" help:"let webhooks be posted without TLS; for trials"`
	WebhookAllowPrivate bool          `env:"TILTH_WEBHOOK_ALLOW_PRIVATE" help:"let webhooks be posted to private networks and to this machine; only where every company is trusted"`
	BackupDir           string        `env:"TILTH_BACKUP_DIR" help:"folder for scheduled backups of a SQLite database and the stored files; empty: none"`
	BackupEvery         time.Duration `env:"TILTH_BACKUP_EVERY" envDefault:"24h" help:"how often a backup is made"`
	BackupKeep          int           `env:"TILTH_BACKUP_KEEP" envDefault:"7" help:"how many scheduled backups are kept"`
	KeepSessions        time.Duration `env:"TILTH_KEEP_SESSIONS" envDefault:"720h" help:"how long refresh tokens stay after they have expired"`
	KeepInvitations     time.Duration `env:"TILTH_KEEP_INVITATIONS" envDefault:"2160h" help:"how long invitations stay after their link has expired"`
	KeepPACTMessages    time.Duration `env:"TILTH_KEEP_PACT_MESSAGES" envDefault:"2160h" help:"how long events from and to PACT clients stay"`
	KeepImports         time.Duration `env:"TILTH_KEEP_IMPORTS" envDefault:"2160h" help:"how long imports and batches stay after they have ended"`
	KeepEvents          time.Duration `env:"TILTH_KEEP_EVENTS" envDefault:"24h" help:"how long events stay in the feeds, 24h or more"`
	KeepDeliveries      time.Duration `env:"TILTH_KEEP_DELIVERIES" envDefault:"168h" help:"how long deliveries of webhooks stay in the log"`
	KeepAnswers         time.Duration `env:"TILTH_KEEP_ANSWERS" envDefault:"24h" help:"how long a request repeated with the same Idempotency-Key receives the stored answer, 24h or more"`
	KeepJobs            time.Duration `env:"TILTH_KEEP_JOBS" envDefault:"2160h" help:"how long jobs that have failed for good stay"`
	KeepAudit           time.Duration `env:"TILTH_KEEP_AUDIT" envDefault:"0" help:"how long entries of the audit trail stay, 720h or more; 0: forever"`
	StatementTimeout    time.Duration `env:"TILTH_STATEMENT_TIMEOUT" envDefault:"30s" help:"how long PostgreSQL may take for a statement, or send nothing"`
	PoolWait            time.Duration `env:"TILTH_POOL_WAIT" envDefault:"10s" help:"how long a request waits for a connection to the database before it is answered with 503"`
	RequestTimeout      time.Duration `env:"TILTH_REQUEST_TIMEOUT" envDefault:"60s" help:"how long a request may be processed before its answer begins; the arrival of its body does not count"`
	ShutdownTimeout     time.Duration `env:"TILTH_SHUTDOWN_TIMEOUT" envDefault:"20s" help:"how long requests may take to finish on shutdown"`
	StallTimeout        time.Duration `env:"TILTH_STALL_TIMEOUT" envDefault:"30s" help:"how long a reader may accept nothing of an answer before it is cut off"`
}

// ReadConfig reads the environment; flags override it.
func ReadConfig(environ map[string]string) (Config, error) {
	var c Config
	err := env.ParseWithOptions(&c, env.Options{Environment: environ})
	return c, err
}

type setting struct {
	variable, help string
	to             any // pointer to the value
	show           func(value string) string
}

func (c *Config) settings() []setting {
	shown := map[string]func(string) string{"": func(value string) string { return value }, "hidden": hidden, "servers": hiddenAll, "masked": masked}
	values := reflect.ValueOf(c).Elem()
	out := make([]setting, values.NumField())
	for i := range out {
		tag := values.Type().Field(i).Tag
		out[i] = setting{tag.Get("env"), tag.Get("help"), values.Field(i).Addr().Interface(), shown[tag.Get("show")]}
	}
	return out
}

// value returns the setting as text.
func (s setting) value() string { return s.show(fmt.Sprint(reflect.ValueOf(s.to).Elem().Interface())) }

// flag returns the name of the flag: database-url for TILTH_DATABASE_URL.
func (s setting) flag() string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(s.variable, "TILTH_"), "_", "-"))
}

// bind adds the flag of the setting.
func (s setting) bind(f *pflag.FlagSet) {
	name, help := s.flag(), s.help+" ("+s.variable+")"
	switch to := s.to.(type) {
	case *string:
		f.StringVar(to, name, *to, help)
	case *bool:
		f.BoolVar(to, name, *to, help)
	case *int:
		f.IntVar(to, name, *to, help)
	case *int64:
		f.Int64Var(to, name, *to, help)
	case *uint32:
		f.Uint32Var(to, name, *to, help)
	case *float64:
		f.Float64Var(to, name, *to, help)
	case *time.Duration:
		f.DurationVar(to, name, *to, help)
	}
}

// everywhere names the settings that every command has; the others are flags of the commands
// that use them.
var everywhere = []string{"database-url", "log-format", "log-level", "secret-key", "secret-key-file", "objects-url"}

// flags adds a flag for every setting that all commands have, or for the others.
func (c *Config) flags(f *pflag.FlagSet, common bool) {
	for _, s := range c.settings() {
		if slices.Contains(everywhere, s.flag()) == common {
			s.bind(f)
		}
	}
}

// checker records an error of a setting for every condition that does not hold.
type checker func(holds bool, name, format string, args ...any)

// Check returns all errors of the configuration at once.
func (c *Config) Check() error {
	var errs []error
	check := func(holds bool, name, format string, args ...any) {
		if !holds {
			errs = append(errs, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
		}
	}
	databases := []string{"sqlite:", "postgres://", "postgresql://"}
	known := slices.ContainsFunc(databases, func(prefix string) bool { return strings.HasPrefix(c.DatabaseURL, prefix) })
	check(known, "TILTH_DATABASE_URL", "it must start with sqlite: or postgres://")
	postgres := func(url string) bool {
		return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
	}
	check(c.DatabaseReadURL == "" || postgres(c.DatabaseReadURL) && postgres(c.DatabaseURL), "TILTH_DATABASE_READ_URL", "it must be the address of a standby, postgres://…, of the PostgreSQL database in TILTH_DATABASE_URL")
	_, _, err := net.SplitHostPort(c.AdminAddr)
	check(c.AdminAddr == "" || c.AdminAddr == "off" || err == nil, "TILTH_ADMIN_ADDR", "%q is neither HOST:PORT nor off", c.AdminAddr)
	check(c.SecretKey == "" || c.SecretKeyFile == "", "TILTH_SECRET_KEY_FILE", "only one of it and TILTH_SECRET_KEY may be set")
	path, isFile := strings.CutPrefix(c.ObjectsURL, "file:")
	check(isFile && path != "" || strings.HasPrefix(c.ObjectsURL, "s3://"), "TILTH_OBJECTS_URL", "it must be of the form file:PATH or s3://BUCKET/PREFIX?endpoint=…")
	check(c.ClimateDistance > 0 && c.ClimateDistance <= 500, "TILTH_CLIMATE_DISTANCE", "it must be more than 0 and at most 500 km")
	c.checkBroker(check)
	public, err := url.Parse(c.PublicURL)
	isPublic := err == nil && public.Host != "" && (public.Scheme == "http" || public.Scheme == "https")
	check(c.PublicURL == "" || isPublic, "TILTH_PUBLIC_URL", "%q is not an http(s) address", c.PublicURL)
	c.checkTLS(check)
	_, err = c.Proxies()
	check(err == nil, "TILTH_TRUSTED_PROXIES", "%v", err)
	c.checkIssuers(check)
	for _, origin := range c.Origins() {
		u, err := url.Parse(origin)
		isOrigin := err == nil && u.Host != "" && u.Scheme+"://"+u.Host == origin
		check(isOrigin, "TILTH_CORS_ORIGINS", "%q is not an origin such as https://app.example.org", origin)
	}
	c.checkMail(check)
	check(c.EngineURL == "" || c.EngineID != "", "TILTH_ENGINE_ID", "the external engine at TILTH_ENGINE_URL requires a name")
	collector, err := url.Parse(c.OTLPEndpoint)
	isCollector := err == nil && collector.Host != "" && (collector.Scheme == "http" || collector.Scheme == "https")
	check(c.OTLPEndpoint == "" || isCollector, "OTEL_EXPORTER_OTLP_ENDPOINT", "it must be an http or https address, such as http://localhost:4318")
	check(c.LogFormat == "text" || c.LogFormat == "json", "TILTH_LOG_FORMAT", "%q is neither text nor json", c.LogFormat)
	_, isLevel := levels[c.LogLevel]
	check(isLevel, "TILTH_LOG_LEVEL", "%q is not debug, info, warn or error", c.LogLevel)
	_, err = c.ProcessRoles()
	check(err == nil, "TILTH_ROLES", "%v", err)
	check(c.Workers >= 1, "TILTH_WORKERS", "it must be at least 1")
	check(c.ImageryCache == 0 || c.ImageryCache >= 64 && c.ImageryCache <= 1<<32, "TILTH_IMAGERY_CACHE", "it must be 0, or 64 MiB or more")
	check(c.ImageryCache == 0 || c.ImageryCacheDir != "", "TILTH_IMAGERY_CACHE_DIR", "it names no folder; without one, set TILTH_IMAGERY_CACHE to 0")
	check(c.ImageryRequests >= 1, "TILTH_IMAGERY_REQUESTS", "it must be at least 1")
	check(c.ImageryTimeout >= time.Second, "TILTH_IMAGERY_TIMEOUT", "it must be at least 1s")
	check(c.UnknownNames == "refuse" || c.UnknownNames == "ignore", "TILTH_UNKNOWN_NAMES", "it must be refuse or ignore")
	check(c.MaxBulk >= 1, "TILTH_MAX_BULK", "it must be at least 1")
	check(c.OverlapSteps >= 1, "TILTH_OVERLAP_STEPS", "it must be at least 1")
	check(c.CompanyShare > 0 && c.CompanyShare <= 1, "TILTH_COMPANY_SHARE", "it must be more than 0 and no more than 1")
	check(c.BulkShare > 0 && c.BulkShare <= 1, "TILTH_BULK_SHARE", "it must be more than 0 and no more than 1")
	check(c.BodyMemory >= 1, "TILTH_BODY_MEMORY", "it must be at least 1")
	check(c.MaxLongLists >= 1, "TILTH_MAX_LONG_LISTS", "it must be at least 1")
	check(c.BackupDir == "" || strings.HasPrefix(c.DatabaseURL, "sqlite:"), "TILTH_BACKUP_DIR", "only SQLite is backed up on a schedule; schedule pg_dump for PostgreSQL, and leave it empty")
	check(c.BackupEvery >= time.Minute, "TILTH_BACKUP_EVERY", "it must be at least 1m")
	check(c.BackupKeep >= 1, "TILTH_BACKUP_KEEP", "it must be at least 1")
	check(c.RequestTimeout > 0, "TILTH_REQUEST_TIMEOUT", "it must be above 0")
	check(c.StallTimeout > 0, "TILTH_STALL_TIMEOUT", "it must be above 0")
	check(c.PoolWait > 0, "TILTH_POOL_WAIT", "it must be above 0")
	check(c.StatementTimeout > 0, "TILTH_STATEMENT_TIMEOUT", "it must be above 0")
	c.checkRetention(check)
	check(c.MaxBodyBytes >= 1, "TILTH_MAX_BODY_BYTES", "it must be at least 1")
	check(c.PasswordMemory >= 12 && c.PasswordMemory <= 4096, "TILTH_PASSWORD_MEMORY", "it must be 12 to 4096 MiB")
	check(c.MaxAPIKeys >= 1, "TILTH_MAX_API_KEYS", "it must be at least 1")
	check(c.MaxInvitations >= 1, "TILTH_MAX_INVITATIONS", "it must be at least 1")
	check(c.MaxWebhooks >= 1, "TILTH_MAX_WEBHOOKS", "it must be at least 1")
	check(c.MaxEvidenceBytes >= 1 && c.MaxEvidenceBytes <= 512<<20, "TILTH_MAX_EVIDENCE_BYTES", "it must be 1 to 536870912")
	check(c.MaxEvidenceFiles >= 1 && c.MaxEvidenceFiles <= 10000, "TILTH_MAX_EVIDENCE_FILES", "it must be 1 to 10000")
	check(c.MaxPhotoBytes >= 1 && c.MaxPhotoBytes <= 512<<20, "TILTH_MAX_PHOTO_BYTES", "it must be 1 to 536870912")
	check(c.MaxPhotos >= 1 && c.MaxPhotos <= 1000, "TILTH_MAX_PHOTOS", "it must be 1 to 1000")
	check(c.MaxPACTClients >= 1, "TILTH_MAX_PACT_CLIENTS", "it must be at least 1")
	check(c.MaxPendingJobs >= 1, "TILTH_MAX_PENDING_JOBS", "it must be at least 1")
	rate := func(perSecond float64, name string) {
		check(perSecond == 0 || perSecond >= 0.001 && perSecond <= 1e6, name, "it must be 0, or 0.001 to 1000000")
	}
	rate(c.RateLimit, "TILTH_RATE_LIMIT")
	rate(c.CompanyRateLimit, "TILTH_COMPANY_RATE_LIMIT")
	rate(c.SignInRateLimit, "TILTH_SIGN_IN_RATE_LIMIT")
	return errors.Join(errs...)
}

// Proxies returns the networks of trusted proxies.
func (c *Config) Proxies() ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, part := range words(c.TrustedProxies) {
		p, err := netip.ParsePrefix(part)
		if err != nil {
			a, err2 := netip.ParseAddr(part)
			if err2 != nil {
				return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", part)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		out = append(out, p)
	}
	return out, nil
}

// Origins returns the origins whose pages may call the interface.
func (c *Config) Origins() []string {
	return words(c.CORSOrigins)
}

// words returns the parts of a list.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// hidden shows a value without the password of an address.
func hidden(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return value
	}
	return u.Redacted()
}

// masked shows only that a secret is set.
func masked(secret string) string {
	if secret == "" {
		return ""
	}
	return "xxxxx"
}

// checkMail checks the settings of the mail server; `tilth doctor` connects to it.
func (c *Config) checkMail(check checker) {
	if c.SMTPURL == "" {
		return
	}
	u, err := url.Parse(c.SMTPURL)
	isServer := err == nil && u.Hostname() != "" && (u.Scheme == "smtp" || u.Scheme == "smtps")
	check(isServer, "TILTH_SMTP_URL", "it must be smtp://USER:PASSWORD@HOST:PORT or smtps://…")
	_, err = mail.ParseAddress(c.MailFrom)
	check(err == nil, "TILTH_MAIL_FROM", "%q is not an e-mail address; letters require a sender", c.MailFrom)
}

// checkIssuers checks the settings of the issuers of access tokens.
func (c *Config) checkIssuers(check checker) {
	if c.OIDCIssuer == "" {
		check(c.BuiltinIssuer, "TILTH_BUILTIN_ISSUER", "without it and without TILTH_OIDC_ISSUER nobody could sign in")
		check(c.OIDCAudience == "", "TILTH_OIDC_ISSUER", "it must be set if TILTH_OIDC_AUDIENCE is")
		check(c.OIDCClientID == "", "TILTH_OIDC_ISSUER", "it must be set if TILTH_OIDC_CLIENT_ID is")
		return
	}
	u, err := url.Parse(c.OIDCIssuer)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		check(false, "TILTH_OIDC_ISSUER", "%q is not the address of an issuer, such as https://id.example.org/realm", hidden(c.OIDCIssuer))
	} else {
		check(u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()), "TILTH_OIDC_ISSUER",
			"its keys must be read over https: anyone who changes them on the way can make tokens")
	}
	check(c.OIDCAudience != "", "TILTH_OIDC_AUDIENCE", "it must be set: a token issued for another service must not be accepted")
	check(c.OIDCClientSecret == "" || c.OIDCClientID != "", "TILTH_OIDC_CLIENT_ID", "it must be set if TILTH_OIDC_CLIENT_SECRET is")
	check(c.OIDCEmailClaim != "", "TILTH_OIDC_EMAIL_CLAIM", "it must name a claim")
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// checkRetention checks how long things are kept, against what the interface promises.
func (c *Config) checkRetention(check checker) {
	const day = 24 * time.Hour
	check(c.KeepSessions >= 0, "TILTH_KEEP_SESSIONS", "it must be 0 or more")
	check(c.KeepInvitations >= 0, "TILTH_KEEP_INVITATIONS", "it must be 0 or more")
	check(c.KeepPACTMessages >= 3*day, "TILTH_KEEP_PACT_MESSAGES", "it must be at least 72h: an event that is sent again is recognised by it")
	check(c.KeepImports >= day, "TILTH_KEEP_IMPORTS", "it must be at least 24h: the result is read from there")
	check(c.KeepEvents >= day, "TILTH_KEEP_EVENTS", "it must be at least 24h")
	check(c.KeepDeliveries >= day, "TILTH_KEEP_DELIVERIES", "it must be at least 24h: a delivery is tried for that long")
	check(c.KeepAnswers >= day, "TILTH_KEEP_ANSWERS", "it must be at least 24h")
	check(c.KeepJobs >= day, "TILTH_KEEP_JOBS", "it must be at least 24h")
	check(c.KeepAudit == 0 || c.KeepAudit >= 30*day, "TILTH_KEEP_AUDIT", "it must be 0, or at least 720h")
}

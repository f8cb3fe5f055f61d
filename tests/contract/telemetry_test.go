package contract

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"tilth/adapters/cli"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/tests/collector"
	"tilth/tests/rig"
)

// following makes a server send spans and metrics to a collector.
func following(of *collector.Collector) func(*cli.Config) {
	return func(c *cli.Config) { c.OTLPEndpoint = of.URL }
}

// One request is one trace, the caller's: the request, the use case in it, and the use case's statements. An order
// is done by a job, which reads imagery. What is left when the server stops is still sent.
func TestSpans(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		of, shelf := collector.Start(t), rig.NewShelf(t, "2025-05-05", "2025-05-10")
		s := rig.Start(t, rig.Options{Database: database, Imagery: shelf.Dir, Config: following(of)})
		c := s.Company(access.RoleOwner, 1000_00)
		land := c.Land(shelf.Field, "2025-05-01", "2025-05-20")
		placed := c.Expect(200, "POST", rig.OrdersPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season}).Data(t)
		c.Until(int64(placed["order_id"].(float64)), "active")
		const traceID, parentID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1.2/farm/"+rig.Itoa(land.Farm)+"/", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+c.Token)
		req.Header.Set("Traceparent", "00-"+traceID+"-"+parentID+"-01")
		req.Header.Set("Tracestate", "vendor=anything")
		res, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		const done = `tilth_job_runs_total{kind="vi_profile",outcome="done"} 1`
		var figures string
		rig.Eventually(t, func() bool { // the order is active before its job is counted
			figures = s.Metrics()
			return strings.Contains(figures, "\n"+done)
		}, 10*time.Minute, 10*time.Millisecond)
		s.Stop()

		spans := of.Spans()
		var mine *trace.Span
		for _, one := range spans.Named("GET /api/v1.2/farm/{id}/") {
			if hex.EncodeToString(one.TraceId) == traceID {
				require.Nil(t, mine, "one request is one span")
				mine = one
			}
		}
		require.NotNil(t, mine, "the caller's trace is continued")
		require.Equal(t, parentID, hex.EncodeToString(mine.ParentSpanId))
		require.Equal(t, trace.Span_SPAN_KIND_SERVER, mine.Kind)
		require.Empty(t, mine.TraceState, "what a caller says of its trace is any text")
		require.Equal(t, int64(res.StatusCode), collector.Attribute(mine, "http.response.status_code"))
		require.Equal(t, c.CompanyID, collector.Attribute(mine, "tilth.company"))
		useCases := spans.Below(mine).Named("farm_retrieve")
		require.Len(t, useCases, 1)
		selects := spans.Below(useCases[0]).Named("SELECT farms")
		require.NotEmpty(t, selects)
		for _, one := range selects {
			text := collector.Attribute(one, "db.query.text")
			require.Contains(t, text, `company_id`)
			require.NotRegexp(t, `= *\d`, text, "a statement is shown without its values")
		}

		jobs := spans.Named(satellite.ProfileJob)
		require.NotEmpty(t, jobs)
		below := spans.Below(jobs[0])
		require.NotEmpty(t, below.Named("search"))
		read := int64(0)
		require.NotEmpty(t, below.Named("read"))
		for _, one := range append(below.Named("grid"), below.Named("read")...) { // the first bytes hold small bands whole
			read += collector.Attribute(one, "tilth.imagery.bytes").(int64)
		}
		require.Positive(t, read, "bytes of bands")
		require.NotEmpty(t, below.Named("INSERT profile_readings"), "what was read is stored")

		for _, name := range []string{"tilth_http_requests_total", "tilth_jobs_oldest_age_seconds", "go_sql_in_use_connections"} {
			require.True(t, of.HasFigure(name) || !strings.Contains(figures, name), name)
		}
		require.True(t, of.HasFigure("tilth_http_requests_total"))
		for _, line := range []string{
			`tilth_orders_total{product="vegetation_index_profile",status="processing"} 1`,
			`tilth_orders_total{product="vegetation_index_profile",status="active"} 1`,
			`tilth_ledger_transactions_total{kind="credit",product=""} 1`,
			`tilth_ledger_transactions_total{kind="capture",product="vegetation_index_profile"} 1`,
			`tilth_ledger_credits_total{kind="credit",product=""} 1000`,
			done, `tilth_outbox_events `, `tilth_backlog_age_seconds `, `tilth_build_info{version="dev"} 1`,
			`tilth_imagery_reads_total{operation="read",outcome="done"} `,
		} {
			require.Contains(t, figures, "\n"+line)
		}
		require.NotContains(t, figures, "\ntilth_imagery_bytes_total 0\n")
	})
}

// An unavailable collector makes no request fail, and costs one line of the log.
func TestNoCollector(t *testing.T) {
	t.Parallel()
	gone := collector.Start(t)
	gone.Close()
	log := &lines{}
	s := rig.Start(t, rig.Options{Log: log, Config: following(gone)})
	c := s.Company(access.RoleOwner, 0)
	for range 20 {
		c.Expect(200, "GET", "farm/", nil)
	}
	s.Stop()
	require.Equal(t, 1, strings.Count(log.text(), "the OpenTelemetry collector accepts nothing"))
}

// lines is a log that is read while it is written.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

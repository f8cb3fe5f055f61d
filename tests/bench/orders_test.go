package bench

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

const (
	orderClients = 8
	orderFields  = 6000 // for one company; each is ordered once
)

// buyer places orders of profiles for fields of one company, each for another field.
type buyer struct {
	client *rig.Client
	season int64
	mu     sync.Mutex
	fields []string // that have not been ordered yet
}

func newBuyer(b *testing.B, s *rig.Server, count int) *buyer {
	c := s.Company("owner", 1_000_000_00)
	farm := c.Make("farm/", map[string]any{"name": "Large", "location": map[string]any{"type": "Point", "coordinates": []float64{-4, 20}}})
	out := &buyer{client: c, season: c.Make("season/", map[string]any{"name": "Season", "start_date": "2025-05-01", "end_date": "2025-05-31"})}
	for turn := 0; len(out.fields) < count; turn++ {
		var made []struct{ UUID string }
		c.Expect(http.StatusOK, http.MethodPost, "field/", json.RawMessage(outlines(b, farm, min(1000, count-len(out.fields)), 5, turn, true))).Into(b, &made)
		for _, field := range made {
			out.fields = append(out.fields, field.UUID)
		}
	}
	return out
}

// order places an order, and reports whether it was accepted.
func (o *buyer) order(b *testing.B) bool {
	o.mu.Lock()
	left := len(o.fields)
	var field string
	if left > 0 {
		field, o.fields = o.fields[left-1], o.fields[:left-1]
	}
	o.mu.Unlock()
	if left == 0 {
		b.Error("no field is left")
		return false
	}
	a := o.client.Do(http.MethodPost, rig.OrdersPath, map[string]any{"field_uuid": field, "season_id": o.season})
	if a.Status != http.StatusOK {
		b.Error(string(a.Body))
	}
	return a.Status == http.StatusOK
}

// BenchmarkOrders has eight clients place orders, once all for one company, whose wallet they contend for, and once for
// eight companies. The two take turns; nothing computes the orders meanwhile.
func BenchmarkOrders(b *testing.B) {
	for name, open := range map[string]func(testing.TB) string{"sqlite": rig.SQLite, "postgres": rig.PostgreSQL} {
		b.Run(name, func(b *testing.B) {
			ended := make(chan struct{})
			shut := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ended }))
			b.Cleanup(func() { close(ended); shut.Close() })
			s := rig.Start(b, rig.Options{Database: open(b), Imagery: shut.URL, Config: func(c *cli.Config) {
				c.RateLimit, c.Workers, c.ImageryTimeout, c.MaxPendingJobs = 0, 1, time.Hour, 1_000_000
				c.CompanyShare = 1000 // a company takes turns while others are at work, and those of the previous round still count as such
			}})
			one, many := newBuyer(b, s, orderFields), make([]*buyer, orderClients)
			for i := range many {
				many[i] = newBuyer(b, s, orderFields/orderClients)
			}
			for b.Loop() {
				rates := [2][]float64{}
				for round := range floorRounds {
					for mode, of := range [2]func(i int) *buyer{func(int) *buyer { return one }, func(i int) *buyer { return many[i] }} {
						rate := orders(b, of)
						if round > 0 {
							rates[mode] = append(rates[mode], rate)
						}
					}
				}
				for mode := range rates {
					slices.Sort(rates[mode])
				}
				middle := len(rates[0]) / 2
				b.ReportMetric(rates[0][middle], "one-company/s")
				b.ReportMetric(rates[1][middle], "eight-companies/s")
				b.ReportMetric(rates[0][middle]/rates[1][middle], "x-eight-companies")
			}
		})
	}
}

// orders returns the number of orders that the clients place per second.
func orders(b *testing.B, of func(i int) *buyer) float64 {
	var all sync.WaitGroup
	placed := make([]int, orderClients)
	began := time.Now()
	for i := range orderClients {
		all.Go(func() {
			for time.Since(began) < floorSlice/2 && of(i).order(b) {
				placed[i]++
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range placed {
		sum += n
	}
	return float64(sum) / time.Since(began).Seconds()
}

package satellite

import (
	"context"
	"net/http"
	"slices"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/monitoring"
)

// MonitorWrite states how a profile should be watched.
type MonitorWrite struct {
	Rules []MonitorRule `json:"rules" required:"false" minItems:"1" maxItems:"10" doc:"Left out: a drop of more than 0.2 in 14 days, a patch of more than 0.15 in 14 days, and below the 10th percentile of the field's other seasons."`
}

// MonitorsWrite states how several profiles should be watched.
type MonitorsWrite struct {
	OrderIDs []int64       `json:"order_ids" minItems:"1" maxItems:"1000" doc:"Ids of active orders, each once."`
	Rules    []MonitorRule `json:"rules" required:"false" minItems:"1" maxItems:"10" doc:"As for a single one; they replace the existing rules of each."`
}

// MonitorRule is a rule that raises at most one alert a season.
type MonitorRule struct {
	Kind       string       `json:"kind" enum:"drop,low_percentile,no_start,patch" doc:"drop: the index fell by more than change within days. patch: the lowest tenth of the field fell behind its median by more than change within days. low_percentile: the index is below the percentile of the field's other seasons on the day, of which at least three are needed. no_start: no growing cycle has started by the date."`
	Change     *float64     `json:"change" required:"false" doc:"For drop and patch: more than 0, at most 2, in units of the index."`
	Days       *int64       `json:"days" required:"false" doc:"For drop and patch: 1 to 60."`
	Percentile *float64     `json:"percentile" required:"false" doc:"For low_percentile: more than 0, at most 50."`
	By         *member.Date `json:"by" required:"false" doc:"For no_start: the day by which a growing cycle should have started."`
}

// Monitor states how a profile is watched.
type Monitor struct {
	OrderID   int64         `json:"order_id" doc:"The order."`
	Field     int64         `json:"field" doc:"Id of its field."`
	Season    int64         `json:"season" doc:"Id of its season."`
	Rules     []MonitorRule `json:"rules" doc:"The rules, each of which raises at most one alert per season."`
	Alerts    []FieldAlert  `json:"alerts" doc:"The alerts that they have raised, oldest first."`
	CreatedAt time.Time     `json:"created_at" doc:"When it was first watched."`
	UpdatedAt time.Time     `json:"updated_at" doc:"When its rules were last set."`
}

// FieldAlert is an alert that was raised.
type FieldAlert struct {
	Rule     MonitorRule `json:"rule" doc:"The rule that raised it."`
	RaisedAt time.Time   `json:"raised_at" doc:"When it was raised."`
	Date     member.Date `json:"date" doc:"The observation on which it was found."`
	Value    float64     `json:"value" doc:"The index, or for a patch the tenth percentile minus the median."`
	Against  *float64    `json:"against" doc:"What it was compared with: the earlier value, or the percentile of other seasons; null for no_start."`
	Message  string      `json:"message" doc:"The alert, for people."`
}

func registerMonitor(a *rest.API, orders *satellite.Profiles) {
	route := func(method string, need access.Permission, action, summary string) rest.Route {
		return rest.Route{
			Method: method, Path: ordersPath + "{id}/monitor/", OperationID: "vi_profile_order_" + action, Tag: profileTag, Noun: "order",
			Summary: summary, Permission: need.For(action),
		}
	}
	retrieve := route(http.MethodGet, access.ProfileOrders.View, "monitor", "Retrieve how a profile is watched")
	retrieve.Description = "404 if it is not watched."
	rest.Handle(a, retrieve, func(ctx context.Context, c *rest.Call, in form.ByID) (Monitor, error) {
		found, err := orders.Monitor(ctx, c.Principal(), in.ID)
		return showMonitor(found), err
	})
	watch := route(http.MethodPost, access.ProfileOrders.Create, "watch", "Watch a profile through its season")
	watch.Description = "The archive is asked for new scenes every day until 30 days after the season, even if nobody requests the series, and it is kept up to date (`vi_profile_updated`), with the maps of indices of its field and season. " +
		"After each check the rules are applied to it: what a rule finds is an alert (`field_alert`, in streams and webhooks), once per season and rule, and at once where it can already be seen. " +
		"A second POST replaces the rules; those that stay do not raise their alert again. It costs nothing."
	watch.Body, watch.Message, watch.Faults = rest.Body[MonitorWrite](), "The profile is watched.", []int{http.StatusConflict}
	rest.Handle(a, watch, func(ctx context.Context, c *rest.Call, in form.ByID) (Monitor, error) {
		body, err := rest.Decode[MonitorWrite](c)
		if err != nil {
			return Monitor{}, err
		}
		made, err := orders.Watch(ctx, c.Principal(), in.ID, rulesOf(body.Rules))
		return showMonitor(made), err
	})
	end := route(http.MethodDelete, access.ProfileOrders.Create, "unwatch", "Stop watching a profile")
	end.Status, end.Message = http.StatusNoContent, "The profile is no longer watched."
	rest.Handle(a, end, func(ctx context.Context, c *rest.Call, in form.ByID) (rest.NoContent, error) {
		return rest.NoContent{}, orders.Unwatch(ctx, c.Principal(), in.ID)
	})
}

const monitorsPath = "profiles/vegetation-index-profile/monitors/"

func registerMonitors(a *rest.API, orders *satellite.Profiles) {
	filters := []rest.Param{
		{Name: "id", Type: rest.IDs, Description: "Ids of orders, separated by commas."},
		{Name: "field", Type: rest.Integer, Description: "Id of the field."},
		{Name: "season", Type: rest.Integer, Description: "Id of the season."},
		{Name: "farm", Type: rest.Integer, Description: "Id of the farm of the field."},
		{Name: "alerted", Type: rest.Boolean, Description: "Whether a rule has raised an alert."},
	}
	route := func(method string, need access.Permission, action, summary string) rest.Route {
		return rest.Route{Method: method, Path: monitorsPath, OperationID: "vi_profile_monitors_" + action, Tag: profileTag, Summary: summary, Permission: need.For(action)}
	}
	list := route(http.MethodGet, access.ProfileOrders.View, "list", "List the profiles that are watched, with their alerts")
	list.Query = append(query.PageParams(), filters...)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, v rest.Values) (rest.Paginated[Monitor], error) {
		found, err := orders.Monitors(ctx, c.Principal(), form.QueryOf(v.Page(), filters, v))
		if err != nil {
			return rest.Paginated[Monitor]{}, err
		}
		return rest.Paginate(v.Page(), rest.Map(form.Listing(found), showMonitor))
	})
	watch := route(http.MethodPost, access.ProfileOrders.Create, "watch", "Watch many profiles")
	watch.Description = "All of the orders are watched, or none: one that does not exist is 404, one that is not active 409, with the ids in `details.ids`. " +
		"What can already be seen is reported after the next check."
	watch.Body, watch.Message, watch.Faults = rest.Body[MonitorsWrite](), "The profiles are watched.", []int{http.StatusNotFound, http.StatusConflict}
	rest.Handle(a, watch, func(ctx context.Context, c *rest.Call, _ struct{}) ([]Monitor, error) {
		body, err := rest.Decode[MonitorsWrite](c)
		if err != nil {
			return nil, err
		}
		made, err := orders.WatchMany(ctx, c.Principal(), distinct(body.OrderIDs), rulesOf(body.Rules))
		return form.Each(made, showMonitor), err
	})
	unwatch := route(http.MethodDelete, access.ProfileOrders.Create, "unwatch", "Stop watching many profiles")
	unwatch.Noun = "order"
	unwatch.Description = "Ends the watching of all of the orders, or of none: where one does not exist or is not watched, the answer is 404 with its id in `details.ids`."
	form.DeleteEach(a, unwatch, "orders", orders.Together, orders.Unwatch)
}

// distinct returns ids in ascending order, each once.
func distinct(ids []int64) []int64 {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// rulesOf returns the rules of a body, or the default ones if it has none.
func rulesOf(rules []MonitorRule) []monitoring.Rule {
	if rules == nil {
		return monitoring.DefaultRules()
	}
	return form.Each(rules, ruleOf)
}

func ruleOf(r MonitorRule) monitoring.Rule {
	return monitoring.Rule{
		Kind: monitoring.Kind(r.Kind), Change: form.OrZero(r.Change), Days: int(form.OrZero(r.Days)), Percentile: form.OrZero(r.Percentile),
		By: form.Pointed(r.By, member.Date.Time),
	}
}

func showRule(r monitoring.Rule) MonitorRule {
	return MonitorRule{string(r.Kind), form.OrNull(r.Change), form.OrNull(int64(r.Days)), form.OrNull(r.Percentile), form.Pointed(r.By, member.DateOf)}
}

func showMonitor(m monitoring.Monitor) Monitor {
	return Monitor{m.OrderID, m.FieldID, m.SeasonID, form.Each(m.Rules, showRule), form.Each(m.Alerts, showAlert), m.CreatedAt, m.UpdatedAt}
}

func showAlert(r monitoring.Raised) FieldAlert {
	return FieldAlert{showRule(r.Rule), r.At, member.DateOf(r.Date), r.Value, r.Against, r.Message}
}

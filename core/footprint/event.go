package footprint

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Types of the events of version 3 (CloudEvents 1.0, structured).
const (
	RequestCreated   = "org.wbcsd.pact.ProductFootprint.RequestCreatedEvent.3"
	RequestFulfilled = "org.wbcsd.pact.ProductFootprint.RequestFulfilledEvent.3"
	RequestRejected  = "org.wbcsd.pact.ProductFootprint.RequestRejectedEvent.3"
	Published        = "org.wbcsd.pact.ProductFootprint.PublishedEvent.3"
)

// Event is an event as it is sent.
type Event struct {
	Type        string    `json:"type"`
	SpecVersion string    `json:"specversion"`
	ID          string    `json:"id"`
	Source      string    `json:"source"`
	Time        time.Time `json:"time"`
	Data        any       `json:"data"`
}

// Problem is the reason for a refusal, in the form of the protocol.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Codes of problems, as version 3 lists them.
const (
	BadRequest     = "BadRequest"
	AccessDenied   = "AccessDenied"
	TokenExpired   = "TokenExpired"
	NotFound       = "NotFound"
	InternalError  = "InternalError"
	NotImplemented = "NotImplemented"
)

// Fulfilled is the data of a RequestFulfilled event.
type Fulfilled struct {
	RequestEventID string     `json:"requestEventId"`
	Footprints     []Document `json:"pfs"`
}

// Rejected is the data of a RequestRejected event.
type Rejected struct {
	RequestEventID string  `json:"requestEventId"`
	Error          Problem `json:"error"`
}

// Changed is the data of a Published event.
type Changed struct {
	FootprintIDs []string `json:"pfIds"`
}

// Received is an event of a client.
type Received struct {
	Type, ID, Source string
	Time             time.Time
	Wanted           Filter // of a RequestCreated
}

// Bounds of what an event may hold.
const (
	maxID      = 255  // bytes
	maxSource  = 1000 // bytes
	maxIDs     = 1000
	maxComment = 5000 // bytes
)

var uuid = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsID reports whether text is the id of a footprint, whatever its case.
func IsID(text string) bool { return uuid.MatchString(text) }

// ReadEvent reads an event of a client, and checks what its type asks for. Faults: Invalid.
func ReadEvent(body []byte) (Received, error) {
	var in struct {
		Type        string                     `json:"type"`
		SpecVersion string                     `json:"specversion"`
		ID          string                     `json:"id"`
		Source      string                     `json:"source"`
		Time        string                     `json:"time"`
		Data        map[string]json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Received{}, badRequest("The body is not a CloudEvent in JSON.")
	}
	out := Received{Type: in.Type, ID: in.ID, Source: in.Source}
	at, err := moment(in.Time)
	switch {
	case in.SpecVersion != "1.0":
		return out, badRequest("specversion must be 1.0.")
	case in.ID == "" || len(in.ID) > maxID || !plainText(in.ID):
		return out, badRequest("id must be text of 1 to %d bytes.", maxID)
	case in.Source == "" || len(in.Source) > maxSource || !plainText(in.Source) || strings.ContainsAny(in.Source, " \t\r\n<>\""):
		return out, badRequest("source must be a URI reference of 1 to %d bytes.", maxSource)
	case err != nil:
		return out, badRequest("time must be a time such as 2026-03-01T12:00:00Z.")
	case in.Data == nil:
		return out, badRequest("data must be an object.")
	}
	out.Time = at
	switch in.Type {
	case RequestCreated:
		out.Wanted, err = wanted(in.Data)
	case RequestFulfilled, RequestRejected:
		err = checkAnswer(in.Type, in.Data)
	case Published:
		err = checkChanged(in.Data)
	default:
		err = badRequest("The types of events are %s, %s, %s and %s.", RequestCreated, RequestFulfilled, RequestRejected, Published)
	}
	return out, err
}

// wanted reads the criteria of a request. A member that is not a criterion is refused: what it asks for would be ignored.
func wanted(data map[string]json.RawMessage) (f Filter, err error) {
	for name, raw := range data {
		if name == "comment" {
			var text string
			if json.Unmarshal(raw, &text) != nil || len(text) > maxComment {
				return f, badRequest("data.comment must be text of at most %d bytes.", maxComment)
			}
			continue
		}
		criterion, ok := KnownCriterion(name)
		if !ok || criterion != name {
			return f, badRequest("data contains a member that is not a criterion; the criteria are: %s.", strings.Join(criteria, ", "))
		}
		values, err := textsOf(raw)
		if err != nil {
			return f, badRequest("data.%s must be text or a list of texts.", name)
		}
		if err := f.Add(criterion, values); err != nil {
			return f, err
		}
	}
	return f, nil
}

// textsOf reads a text or a list of texts; null is none.
func textsOf(raw json.RawMessage) ([]string, error) {
	var one *string
	if json.Unmarshal(raw, &one) == nil {
		if one == nil {
			return nil, nil
		}
		return []string{*one}, nil
	}
	var many []string
	return many, json.Unmarshal(raw, &many)
}

func checkAnswer(kind string, data map[string]json.RawMessage) error {
	var id string
	if json.Unmarshal(data["requestEventId"], &id) != nil || id == "" || len(id) > maxID {
		return badRequest("data.requestEventId must be the id of the request.")
	}
	if kind == RequestRejected {
		var problem Problem
		if json.Unmarshal(data["error"], &problem) != nil || problem.Code == "" || problem.Message == "" {
			return badRequest("data.error must contain code and message.")
		}
		return nil
	}
	var footprints []struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(data["pfs"], &footprints) != nil || len(footprints) == 0 {
		return badRequest("data.pfs must be a list of at least one footprint.")
	}
	for _, one := range footprints {
		if !IsID(one.ID) {
			return badRequest("data.pfs: the id of a footprint must be a UUID.")
		}
	}
	return nil
}

func checkChanged(data map[string]json.RawMessage) error {
	var ids []string
	if json.Unmarshal(data["pfIds"], &ids) != nil || len(ids) == 0 || len(ids) > maxIDs {
		return badRequest("data.pfIds must be a list of 1 to %d footprint ids.", maxIDs)
	}
	for _, id := range ids {
		if !IsID(id) {
			return badRequest("data.pfIds: the id of a footprint must be a UUID.")
		}
	}
	return nil
}

package app

import (
	"encoding/base64"
	"encoding/json"
	"slices"

	"tilth/core/fault"
	"tilth/ports"
)

// behind is a query that can continue where an earlier page ended.
type behind interface {
	Behind() (cursor *string, order []ports.Order)
}

// cursor marks where a page ended: the last record's values of the fields that the list is ordered by. Whoever
// forges one reads the same list from a different position, and nothing more.
type cursor struct {
	Order []ports.Order     `json:"o"`
	Keys  []json.RawMessage `json:"k"`
}

// cursorOf returns the cursor behind a place.
func cursorOf(order []ports.Order, at ports.Place) (string, error) {
	c := cursor{Order: order}
	for _, key := range at.Keys {
		text, err := json.Marshal(key)
		if err != nil {
			return "", err
		}
		c.Keys = append(c.Keys, text)
	}
	text, err := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// FirstPage is the cursor of the start of a list.
const FirstPage = "first"

// BehindID returns the cursor of a list behind an id. The order is that of its query: by id, up or down.
func BehindID(order []ports.Order, id int64) (string, error) {
	return cursorOf(order, ports.Place{Keys: []any{id}})
}

// placeOf returns the place of a cursor. Faults: Invalid of cursor.
func placeOf(order []ports.Order, text string) (at ports.Place, err error) {
	if text == FirstPage {
		return at, nil
	}
	var c cursor
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	switch {
	case err != nil, len(c.Keys) == 0:
		return at, fault.Field("cursor", "Give first, or the cursor from the next link of a page.")
	case !slices.Equal(c.Order, order):
		return at, fault.Field("cursor", "This cursor belongs to a list in another ordering.")
	}
	at.Given = c.Keys
	return at, nil
}

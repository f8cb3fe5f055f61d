// Package carbon holds the map of soil organic carbon of an area of interest: the stock of each zone with its
// interval, estimated from the samples of one round of a saved plan. Package sample makes it.
package carbon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"tilth/core/fault"
)

// Survey states what a map is made from. It is fixed when the map is ordered.
type Survey struct {
	PlanUUID   string  `json:"plan"`
	Round      int64   `json:"round"`
	FromCm     float64 `json:"depth_from_cm"`
	ToCm       float64 `json:"depth_to_cm"`
	Confidence float64 `json:"confidence"`
}

// Figure is an estimate with its interval at the confidence of the survey.
type Figure struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"standard_error"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	DF   float64 `json:"degrees_of_freedom"`
}

// Zone is the carbon of a zone, or of the strip along the edges, which is numbered after the zones.
type Zone struct {
	Zone   int     `json:"zone"`
	AreaHa float64 `json:"area_ha"`
	Points int     `json:"points"` // with a stock
	SOC    Figure  `json:"soc"`    // % of the mass of fine soil
	Stock  Figure  `json:"stock"`  // t C/ha
}

// Map is the map of an area. Before it is made it has only its survey.
type Map struct {
	Survey
	ZonesUUID string   `json:"zones"` // the map of zones; it holds their outlines
	Edge      bool     `json:"edge"`  // the last zone is the strip along the edges
	Zones     []Zone   `json:"by_zone"`
	AOI       Zone     `json:"aoi"`   // the whole area; its number is 0
	Total     Figure   `json:"total"` // t C
	Notes     []string `json:"notes"`
}

// Digest returns the SHA-256 of the map, in hexadecimal.
func (m Map) Digest() string {
	text, err := json.Marshal(m)
	if err != nil {
		text = fmt.Append(nil, m) // only NaN and infinite figures fail to marshal, and a map has none
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Lack is one thing that a survey lacks for a map.
type Lack struct {
	Zone int    `json:"zone,omitempty"` // 0: the whole area
	What string `json:"what"`
}

// Missing returns the refusal of a map whose samples do not suffice. Its details name what is missing.
func Missing(s Survey, lacks []Lack) *fault.Error {
	var texts []string
	for _, l := range lacks {
		texts = append(texts, l.What)
	}
	return fault.Newf(fault.Conflict, "samples_missing", "The samples of round %d do not suffice for a map of soil carbon: %s.", s.Round, strings.Join(texts, "; ")).
		With("missing", lacks).With("plan", s.PlanUUID).With("round", s.Round)
}

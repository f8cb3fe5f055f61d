package outlines

import (
	"cmp"
	"encoding/xml"
	"strings"

	"tilth/adapters/exchange/internal/elements"
	"tilth/adapters/exchange/internal/taskdata"
	"tilth/core/country"
	"tilth/core/farm"
)

// maxTaskAddress is the maximum number of letters of each part of an address: version 4 allows 32.
const maxTaskAddress = 64

// taskFarms are the addresses that a file has.
type taskFarms struct {
	addresses map[string]*farm.Farm // of farms and customers, by id
	owners    map[string]string     // the customers of farms, by id
}

// addressOf names the attributes of an address, which farms and customers have under different letters.
var addressOf = map[string]struct{ street, code, city, region, country string }{
	taskdata.Farm:     {"C", "E", "F", "G", "H"},
	taskdata.Customer: {"D", "F", "G", "H", "I"},
}

// address keeps the address of a farm or a customer. Unknown countries are left out.
func (t *taskFarms) address(start xml.StartElement) {
	id, at := elements.Attribute(start, "A"), addressOf[start.Name.Local]
	if len(t.addresses) == maxTaskNames || len(id) > maxAttributeBytes {
		return // gather bounds the names, and reports it
	}
	part := func(name string) string {
		text := strings.TrimSpace(elements.Attribute(start, name))
		if len([]rune(text)) > maxTaskAddress {
			return ""
		}
		return text
	}
	out := farm.Farm{Address: part(at.street), PostalCode: part(at.code), City: part(at.city), Region: part(at.region)}
	if len([]rune(out.PostalCode)) > taskdata.MaxDesignator {
		out.PostalCode = ""
	}
	out.Country, _ = country.Parse(part(at.country))
	if cmp.Or(out.Address, out.PostalCode, out.City, out.Region, out.Country) != "" {
		t.addresses[id] = &out
	}
	if owner := elements.Attribute(start, "I"); start.Name.Local == taskdata.Farm && owner != "" && len(owner) <= maxAttributeBytes && len(t.owners) < maxTaskNames {
		t.owners[id] = owner
	}
}

// of returns the address of a farm, or else that of its customer; nil: neither has one.
func (t *taskFarms) of(id string) *farm.Farm {
	if at := t.addresses[id]; at != nil {
		return at
	}
	return t.addresses[t.owners[id]]
}

// farmName returns the name of the farm of a field, in full where Tilth's list of links has it.
func (t *taskReader) farmName(field xml.StartElement) string {
	return cmp.Or(t.said[taskdata.FarmNames][elements.Attribute(field, "F")], t.named(field, "F"))
}

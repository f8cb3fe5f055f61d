package assessment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// AsEntered is an assessment as people entered it: values in their own units, notes, and what justifies an own factor.
// It is frozen with a submitted version as JSON; members are added, never changed.
type AsEntered struct {
	General      Values         `json:"general"`
	Sections     map[string]any `json:"sections"` // as [Table.Entered] returns them
	Declarations Declarations   `json:"section_declarations"`
}

// AsEntered returns an assessment as it was entered. The ids of items are left out: they are not content.
func (t *Table) AsEntered(a *Assessment, sheet Sheet) AsEntered {
	sections := t.Entered(sheet)
	for _, entered := range sections {
		items, _ := entered.([]any)
		for _, item := range items {
			delete(item.(map[string]any), "id")
		}
	}
	declared := a.Declarations
	if declared == nil {
		declared = Declarations{} // no declarations are the same, however they are kept
	}
	return AsEntered{General: a.values(), Sections: sections, Declarations: declared}
}

// Text returns the JSON text, which is the same for equal content, and its SHA-256 in hexadecimal.
func (e AsEntered) Text() (text []byte, digest string, err error) {
	if text, err = json.Marshal(e); err != nil {
		return nil, "", fmt.Errorf("encode what was entered as JSON: %w", err)
	}
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:]), nil
}

// Package evidence holds the files that people attach to an assessment as evidence of what they entered: what a file is
// evidence of, how texts cite it, and the list that a submitted version holds.
package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tilth/core/assessment"
	"tilth/core/attachment"
	"tilth/core/fault"
)

// File is a file attached to an assessment.
type File struct {
	attachment.File
	About
}

// About is what a file is evidence of: the whole assessment, a section, an item of a list, or one member.
type About struct {
	Section string // empty: the whole assessment
	ItemID  int64  // of a list; 0: all of the section
	Field   string // empty: all of the item or section
}

// general is the part of an assessment beside its sections.
const general = "general"

// Check returns what is wrong with a reference to an assessment.
func (a About) Check(t *assessment.Table, sheet assessment.Sheet) fault.Fields {
	f := fault.Fields{}
	section, known := t.Section(a.Section)
	if a.Section == general {
		section, known = t.General(), true
	}
	list := section.Shape == assessment.List
	switch {
	case a.Section == "" && (a.ItemID != 0 || a.Field != ""):
		f.Add("section", "Name the section of this item or field.")
	case a.Section == "":
	case !known:
		f.Addf("section", "%q is not one of %s.", a.Section, strings.Join(t.SectionKeys(), ", "))
	case a.ItemID != 0 && !list:
		f.Addf("item_id", "%s is a single object and has no items.", a.Section)
	case a.ItemID != 0 && placeOf(sheet, a.Section, a.ItemID) < 0:
		f.Addf("item_id", "%s has no item %d.", a.Section, a.ItemID)
	case a.Field != "" && list && a.ItemID == 0:
		f.Addf("item_id", "State which item of %s the field belongs to.", a.Section)
	case a.Field != "" && !slices.ContainsFunc(section.Fields, func(m assessment.Field) bool { return m.Key == a.Field }):
		f.Addf("field", "%s has no member %q.", a.Section, a.Field)
	}
	return f
}

// Path returns what a file is evidence of as clients write it: fertilizers[2].rate. gone reports that the item no
// longer exists: the file then counts for its section.
func (a About) Path(sheet assessment.Sheet) (path string, gone bool) {
	path = a.Section
	if a.ItemID != 0 {
		place := placeOf(sheet, a.Section, a.ItemID)
		if place < 0 {
			return path, true
		}
		path = fmt.Sprintf("%s[%d]", path, place)
	}
	switch {
	case a.Field == "":
	case a.Section == general:
		path = a.Field
	default:
		path += "." + a.Field
	}
	return path, false
}

func placeOf(sheet assessment.Sheet, section string, id int64) int {
	return slices.IndexFunc(sheet[section], func(r assessment.Row) bool { return r.ID == id })
}

// Frozen is a file as a submitted version lists it. It is kept as JSON; members are added, never changed.
type Frozen struct {
	ID         int64  `json:"id" doc:"Texts of the assessment cite it as file:ID."`
	For        string `json:"for" doc:"Path of what it is evidence of, such as fertilizers[2].rate; empty: the whole assessment."`
	Name       string `json:"name" doc:"Name of the file, without folders; its extension is added if it was sent without one."`
	Media      string `json:"media_type" doc:"Content type of the bytes."`
	Size       int64  `json:"size" doc:"Bytes."`
	SHA256     string `json:"sha256" doc:"SHA-256 of the bytes, hexadecimal."`
	Note       string `json:"note" doc:"A note by whoever attached it; empty: none."`
	UploadedAt string `json:"uploaded_at" doc:"When it was attached, RFC 3339, UTC."`
	UploadedBy int64  `json:"uploaded_by" doc:"Id of the user who attached it."`
}

// List is the files of an assessment as they are listed, in the order in which they were attached.
type List []Frozen

// Listed returns the list of an assessment's files, and a warning for each file whose item is gone.
func Listed(files []File, sheet assessment.Sheet) (List, []assessment.Finding) {
	var warnings []assessment.Finding
	out := make(List, len(files))
	for i, f := range files {
		path, gone := f.Path(sheet)
		if gone {
			warnings = append(warnings, assessment.Finding{Code: "evidence_item_gone", Path: path,
				Message: fmt.Sprintf("The file %q is evidence of an item that no longer exists; it is listed under the section.", f.Name)})
		}
		out[i] = Frozen{f.ID, path, f.Name, f.Media, f.Size, f.SHA256, f.Note, f.At.UTC().Format(time.RFC3339Nano), f.By.ID}
	}
	return out, warnings
}

// Text returns the JSON text of the list and its SHA-256 in hexadecimal; both are empty where nothing is attached.
func (l List) Text() (text []byte, digest string, err error) {
	if len(l) == 0 {
		return nil, "", nil
	}
	if text, err = json.Marshal(l); err != nil {
		return nil, "", fmt.Errorf("encode the list of evidence as JSON: %w", err)
	}
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:]), nil
}

// ReadList reads the text of a list; that of a version without evidence is empty.
func ReadList(text []byte) (out List, err error) {
	if len(text) > 0 {
		err = json.Unmarshal(text, &out)
	}
	return out, err
}

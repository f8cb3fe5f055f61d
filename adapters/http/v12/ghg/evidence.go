package ghg

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/external"
	evidenceapp "tilth/app/ghg/evidence"
	"tilth/core/access"
	"tilth/core/assessment/evidence"
	"tilth/core/attachment"
)

// EvidenceFile is a file that is attached to an assessment.
type EvidenceFile struct {
	ID         int64     `json:"id" doc:"Texts of the assessment cite it as file:ID."`
	Section    *string   `json:"section" doc:"Key of the section that it is evidence of; null: the whole assessment."`
	ItemID     *int64    `json:"item_id" doc:"Id of the item of a list section; null: all of the section."`
	Field      *string   `json:"field" doc:"Member of the section or item; null: all of it."`
	Name       string    `json:"name" doc:"Name of the file, without folders; its extension is added if it was sent without one."`
	MediaType  string    `json:"media_type" doc:"Determined by the content of the file, not by what the sender said."`
	Size       int64     `json:"size" doc:"Bytes."`
	SHA256     string    `json:"sha256" doc:"SHA-256 of the bytes, hexadecimal."`
	Note       string    `json:"note" doc:"A note by whoever attached it; empty: none."`
	UploadedAt time.Time `json:"uploaded_at" doc:"When it was attached."`
	UploadedBy form.Ref  `json:"uploaded_by" doc:"Who attached it."`
	form.External
}

// AttachedEvidence is a file that was sent.
type AttachedEvidence struct {
	EvidenceFile
	Again bool `json:"again" doc:"These bytes were attached before, as this file; nothing was stored."`
}

// EvidenceFiles are the files of an assessment.
type EvidenceFiles struct {
	Files    []EvidenceFile `json:"files" doc:"In the order in which they were attached."`
	MaxFiles int            `json:"max_files" doc:"How many files an assessment may have here."`
	MaxBytes int64          `json:"max_bytes" doc:"How large a file may be here, bytes."`
}

// formRoom is the number of bytes that a form may have in addition to its file.
const formRoom = 64 << 10

func registerEvidence(a *rest.API, use *evidenceapp.Files) {
	a.DescribeCodes(map[string]string{
		"evidence_cited":   "the file is cited in a text of the assessment; details hold paths (409)",
		"evidence_unknown": "a text cites a file that is not attached to the assessment; a violation of a submission (400)",
	})
	var kinds []string
	for _, media := range slices.Sorted(maps.Keys(attachment.Media())) {
		kinds = append(kinds, attachment.Media()[media])
	}
	attach := assessmentRoute(http.MethodPost, "{id}/evidence/", access.Assessments.Edit.For("attach_evidence"), "Attach a file of evidence")
	attach.Description = "An invoice, a delivery note, a photograph, a laboratory report: " + strings.Join(kinds, ", ") + ", recognised by the content of the file. " +
		"It is sent as the body, with its `name`, or as the first file of a multipart form. `section`, `item_id` and `field` say what it is evidence of. " +
		"Bytes that are attached already are not stored again: the answer is 200 with `again` and the file that has them. " +
		"Texts of the assessment cite the file as `file:ID`, and a submitted version lists all files that are attached at that time. " +
		"The operator bounds the size of a file (`max_bytes` of the list) and their number (409 `limit_reached`)."
	attach.Query = append(form.OriginParams(), []rest.Param{
		{Name: "name", Type: rest.String, Description: "Name of the file, with its extension; default: that in the form."},
		{Name: "section", Type: rest.String, Description: "Key of a section, or general; default: the whole assessment."},
		{Name: "item_id", Type: rest.Integer, Description: "Id of an item of the section."},
		{Name: "field", Type: rest.String, Description: "A member of the section or item, such as rate."},
		{Name: "note", Type: rest.String, Description: "What the file shows, at most " + strconv.Itoa(attachment.MaxNote) + " characters."},
	}...)
	attach.Status, attach.Message, attach.MaxBody = http.StatusCreated, "File attached.", use.Bounds.Bytes+formRoom
	attach.Also, attach.Faults = map[int]string{http.StatusOK: "These bytes were attached before."}, []int{http.StatusConflict}
	media := map[string]string{"application/octet-stream": "Any of them.", "multipart/form-data": "A form whose first file is any of them."}
	for kind, name := range attachment.Media() {
		media[kind] = name
	}
	attach.Body = rest.FileBody(media)
	rest.Handle(a, attach, func(ctx context.Context, c *rest.Call, in attachInput) (AttachedEvidence, error) {
		got, err := use.Attach(ctx, c.Principal(), in.ID, func() (evidenceapp.Upload, error) {
			file, err := form.UploadedFile(c)
			return evidenceapp.Upload{
				Name: cmp.Or(in.Name, file.Name), About: evidence.About{Section: in.Section, ItemID: in.ItemID, Field: in.Field}, Note: in.Note, Body: file.Content, External: in.Origin.Record(),
			}, err
		})
		if got.Again {
			c.SetStatus(http.StatusOK)
		}
		return AttachedEvidence{showEvidence(got.File), got.Again}, err
	})
	list := assessmentRoute(http.MethodGet, "{id}/evidence/", access.Assessments.View.For("list_evidence"), "List the files of evidence of an assessment")
	list.Description = "Those that are attached now; a submitted version lists its own."
	list.Query = form.WithExternalID([]rest.Param{form.ShareParam})
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		form.Keys
	}) (EvidenceFiles, error) {
		found, err := use.List(ctx, c.Principal(), in.Share, in.ID, in.Chosen())
		return EvidenceFiles{form.Each(found, showEvidence), use.Bounds.Files, use.Bounds.Bytes}, err
	})
	registerEvidenceFile(a, use)
}

type attachInput struct {
	form.ByID
	Name    string `query:"name"`
	Section string `query:"section"`
	ItemID  int64  `query:"item_id"`
	Field   string `query:"field"`
	Note    string `query:"note"`
	form.Origin
}

// registerEvidenceFile adds the routes of one file.
func registerEvidenceFile(a *rest.API, use *evidenceapp.Files) {
	download := assessmentRoute(http.MethodGet, "{id}/evidence/{file_id}/", access.Assessments.View.For("download_evidence"), "Download a file of evidence")
	download.Noun = "file"
	download.Description = "The bytes that were attached, always as a download. A file that a submitted version lists stays, even once it is detached. " +
		"Its SHA-256 is checked on the way: where the bytes are no longer those that were attached, the answer is cut short."
	download.Query, download.Media = []rest.Param{form.ShareParam}, slices.Sorted(maps.Keys(attachment.Media()))
	rest.Handle(a, download, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		FileID int64 `path:"file_id"`
	}) (rest.Raw, error) {
		file, err := use.Open(ctx, c.Principal(), in.Share, in.ID, in.FileID)
		c.SetHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox") // a browser that shows it anyway runs nothing
		return rest.Raw{ContentType: file.Media, Filename: file.Name, Write: file.Write}, err
	})
	remove := assessmentRoute(http.MethodDelete, "{id}/evidence/{file_id}/", access.Assessments.Edit.For("detach_evidence"), "Detach a file of evidence")
	remove.Noun, remove.Status, remove.Message = "file", http.StatusNoContent, "File detached."
	remove.Description = "From the current assessment, permanently. The submitted versions that list it keep it; the bytes of a file that none lists are removed. " +
		"A file that a text cites is refused (409, `evidence_cited`)."
	remove.Faults = []int{http.StatusConflict}
	rest.Handle(a, remove, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		FileID int64 `path:"file_id"`
	}) (rest.NoContent, error) {
		return rest.NoContent{}, use.Remove(ctx, c.Principal(), in.ID, in.FileID)
	})
	removeMany := assessmentRoute(http.MethodDelete, "{id}/evidence/", access.Assessments.Edit.For("detach_evidence_many"), "Detach files of evidence")
	removeMany.Faults = remove.Faults
	form.DeleteBelow(a, removeMany, "files", form.Below{Together: use.Together, Remove: use.Remove, There: func(ctx context.Context, who access.Principal, id int64) error {
		_, err := use.List(ctx, who, false, id, external.Chosen{})
		return err
	}})
}

func showEvidence(f evidence.File) EvidenceFile {
	return EvidenceFile{
		ID: f.ID, Section: form.OrNull(f.Section), ItemID: form.OrNull(f.ItemID), Field: form.OrNull(f.Field), Name: f.Name, MediaType: f.Media,
		Size: f.Size, SHA256: f.SHA256, Note: f.Note, UploadedAt: f.At, UploadedBy: form.RefOf(f.By), External: form.ExternalOf(f.External),
	}
}

package soil

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/external"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/attachment"
)

// SamplePhoto is a photo that is attached to a sample.
type SamplePhoto struct {
	ID         int64     `json:"id" doc:"Id of the photo."`
	Name       string    `json:"name" doc:"Name of the file, without folders; its extension is added if it was sent without one."`
	MediaType  string    `json:"media_type" doc:"Determined by the content of the file, not by what the sender said."`
	Size       int64     `json:"size" doc:"Bytes."`
	SHA256     string    `json:"sha256" doc:"SHA-256 of the bytes, hexadecimal."`
	Note       string    `json:"note" doc:"A note by whoever attached it; empty: none."`
	UploadedAt time.Time `json:"uploaded_at" doc:"When it was attached."`
	UploadedBy form.Ref  `json:"uploaded_by" doc:"Who attached it."`
	form.External
}

// AttachedPhoto is a photo that was sent.
type AttachedPhoto struct {
	SamplePhoto
	Again bool `json:"again" doc:"These bytes were attached before, as this photo; nothing was stored."`
}

// SamplePhotos are the photos of a sample.
type SamplePhotos struct {
	Photos    []SamplePhoto `json:"photos" doc:"In the order in which they were attached."`
	MaxPhotos int           `json:"max_photos" doc:"How many photos a sample may have."`
	MaxBytes  int64         `json:"max_bytes" doc:"How large a photo may be, bytes."`
}

func showPhoto(f attachment.File) SamplePhoto {
	return SamplePhoto{f.ID, f.Name, f.Media, f.Size, f.SHA256, f.Note, f.At, form.RefOf(f.By), form.ExternalOf(f.External)}
}

// formRoom is the number of bytes that a form may have in addition to its photo.
const formRoom = 64 << 10

type onePhoto struct {
	form.ByID
	PhotoID int64 `path:"photo_id"`
}

func registerPhotos(a *rest.API, use *soil.Photos) {
	photos := samplesPath + "{id}/photos/"
	attach := sampleRoute(http.MethodPost, photos, access.Samples.Edit.For("attach_photo"), "Attach a photo to a sample")
	attach.Description = "JPEG, PNG or WebP, recognised by the content of the file, sent as the body, with its `name`, or as the first file of a multipart form. Photos that a crew brings back in a package " +
		"are attached by its import, to the uppermost sample of their point. Bytes that are attached already are not stored again: the answer is 200 with `again` and the photo that has them. " +
		"A sample has at most `max_photos` photos (409 `limit_reached`), each at most `max_bytes` large (413), as the list says."
	attach.Query = append(form.OriginParams(), []rest.Param{
		{Name: "name", Type: rest.String, Description: "Name of the file, with its extension; default: that in the form."},
		{Name: "note", Type: rest.String, Description: "What the photo shows, at most " + strconv.Itoa(attachment.MaxNote) + " characters."},
	}...)
	attach.Status, attach.Message, attach.MaxBody = http.StatusCreated, "Photo attached.", use.Bounds.Bytes+formRoom
	attach.Also, attach.Faults = map[int]string{http.StatusOK: "These bytes were attached before."}, []int{http.StatusConflict}
	media := map[string]string{"application/octet-stream": "Any of them.", "multipart/form-data": "A form whose first file is any of them."}
	for _, kind := range attachment.Pictures {
		media[kind] = attachment.Media()[kind]
	}
	attach.Body = rest.FileBody(media)
	rest.Handle(a, attach, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		Name string `query:"name"`
		Note string `query:"note"`
		form.Origin
	}) (AttachedPhoto, error) {
		got, err := use.Attach(ctx, c.Principal(), in.ID, func() (soil.PhotoUpload, error) {
			file, err := form.UploadedFile(c)
			return soil.PhotoUpload{Name: cmp.Or(in.Name, file.Name), Note: in.Note, Body: file.Content, External: in.Origin.Record()}, err
		})
		if got.Again {
			c.SetStatus(http.StatusOK)
		}
		return AttachedPhoto{showPhoto(got.File), got.Again}, err
	})
	show := sampleRoute(http.MethodGet, photos, access.Samples.View.For("list_photos"), "List the photos of a sample")
	show.Query = form.WithExternalID(nil)
	rest.Handle(a, show, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		form.Keys
	}) (SamplePhotos, error) {
		found, err := use.List(ctx, c.Principal(), in.ID, in.Chosen())
		return SamplePhotos{form.Each(found, showPhoto), use.Bounds.Files, use.Bounds.Bytes}, err
	})
	download := sampleRoute(http.MethodGet, photos+"{photo_id}/", access.Samples.View.For("download_photo"), "Download a photo of a sample")
	download.Noun, download.Media = "photo", attachment.Pictures
	download.Description = "The bytes that were attached, always as a download. Their SHA-256 is checked on the way: where they are no longer those that were attached, the answer is cut short."
	rest.Handle(a, download, func(ctx context.Context, c *rest.Call, in onePhoto) (rest.Raw, error) {
		photo, write, err := use.Open(ctx, c.Principal(), in.ID, in.PhotoID)
		c.SetHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox") // a browser that shows it anyway runs nothing
		return rest.Raw{ContentType: photo.Media, Filename: photo.Name, Write: write}, err
	})
	remove := sampleRoute(http.MethodDelete, photos+"{photo_id}/", access.Samples.Edit.For("detach_photo"), "Remove a photo of a sample")
	remove.Noun, remove.Status, remove.Message, remove.Description = "photo", http.StatusNoContent, "Photo removed.", "It is removed permanently; a package that contains it attaches it again."
	rest.Handle(a, remove, func(ctx context.Context, c *rest.Call, in onePhoto) (rest.NoContent, error) {
		return rest.NoContent{}, use.Remove(ctx, c.Principal(), in.ID, in.PhotoID)
	})
	form.DeleteBelow(a, sampleRoute(http.MethodDelete, photos, access.Samples.Edit.For("detach_photos"), "Remove photos of a sample"), "photos",
		form.Below{Together: use.Together, Remove: use.Remove, There: func(ctx context.Context, who access.Principal, id int64) error {
			_, err := use.List(ctx, who, id, external.Chosen{})
			return err
		}})
}

package account

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	movingapp "tilth/app/moving"
	"tilth/core/access"
	"tilth/core/moving"
)

// CompanyExport is an export of everything that belongs to the company.
type CompanyExport struct {
	ID        int64      `json:"id" doc:"Id of the export."`
	Status    string     `json:"status" enum:"queued,running,completed,failed" doc:"queued or running in the background; completed: the file is ready; failed: reason says why."`
	Reason    *string    `json:"reason" doc:"Why the export failed."`
	CreatedAt time.Time  `json:"created_at" doc:"When it was requested."`
	CreatedBy form.Ref   `json:"created_by" doc:"Who requested it."`
	UpdatedAt time.Time  `json:"updated_at" doc:"When its status last changed."`
	Bytes     *int64     `json:"bytes" doc:"Size of the file; null until it is ready."`
	Records   *int64     `json:"records" doc:"Rows of all tables in the file; null until it is ready."`
	SHA256    *string    `json:"manifest_sha256" doc:"Digest of the file's manifest.json, which has the digests of everything else, in hexadecimal; null until it is ready."`
	ExpiresAt *time.Time `json:"expires_at" doc:"When the file is removed; null until it is ready."`
}

func showExport(r moving.Request) CompanyExport {
	there := r.Status == moving.Completed
	return CompanyExport{
		ID: r.ID, Status: string(r.Status), Reason: form.OrNull(r.Reason), CreatedAt: r.CreatedAt, CreatedBy: form.RefOf(r.CreatedBy), UpdatedAt: r.UpdatedAt,
		Bytes: form.If(there, r.Bytes), Records: form.If(there, r.Rows), SHA256: form.OrNull(r.SHA256), ExpiresAt: form.If(there, r.Expires()),
	}
}

var exportRoute = rest.Routes{Base: "company/export/", Operation: "company", Tag: leavingTag, Noun: "export", Keys: rest.KeyNowhere}.Route

const leavingTag = "Leaving"

func registerExports(a *rest.API, e *movingapp.Exports) {
	a.DescribeTag(leavingTag, "Everything that your company has, in one file of open formats (JSON lines, GeoJSON, files as they were attached) with a manifest and "+
		"digests, which another installation can import as it is.\n\nIts permission `company.export` is part of no role except owner, and no API key has it.")
	start := exportRoute(http.MethodPost, "", access.ExportCompany.For("export"), "Request an export of everything")
	start.Status, start.Message, start.Faults = http.StatusAccepted, "The export is made in the background.", []int{http.StatusConflict}
	start.Description = "The file is made in the background, as of one moment, and is kept for seven days; the trail records it. It holds no hashes of passwords, no keys and no " +
		"secrets; its manifest says what else is left out, and why. One is made at a time (409 `export_running`). Operators import it elsewhere with `tilth company import`."
	rest.Handle(a, start, func(ctx context.Context, c *rest.Call, _ struct{}) (CompanyExport, error) {
		made, err := e.Start(ctx, c.Principal())
		return showExport(made), err
	})
	status := exportRoute(http.MethodGet, "{id}/", access.ExportCompany.For("export_status"), "Retrieve the progress of an export")
	rest.Handle(a, status, func(ctx context.Context, c *rest.Call, in form.ByID) (CompanyExport, error) {
		found, err := e.Retrieve(ctx, c.Principal(), in.ID)
		return showExport(found), err
	})
	download := exportRoute(http.MethodGet, "{id}/file/", access.ExportCompany.For("export_file"), "Download the file of an export")
	download.Description = "A zip archive; 409 `export_not_ready` until it is ready. `unzip -p FILE manifest.json` shows what is in it."
	download.Media, download.Faults = form.Media(form.Zip), []int{http.StatusConflict}
	rest.Handle(a, download, func(ctx context.Context, c *rest.Call, in form.ByID) (rest.Raw, error) {
		export, write, err := e.File(ctx, c.Principal(), in.ID)
		if err != nil {
			return rest.Raw{}, err
		}
		return form.Download("company-"+export.CreatedAt.UTC().Format(time.DateOnly), form.Zip, write), nil
	})
}

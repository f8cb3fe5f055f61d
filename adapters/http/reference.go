package http

import (
	"fmt"
	"net/http"
	"path"
	"strings"
)

// referencePolicy is the content policy of the API reference: scripts and styles are its own files only. Pictures
// in answers are kept in the page.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// referenceMedia are the kinds of files that the API reference is made of, beside its page.
var referenceMedia = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// referencePages adds the API reference and its files: scripts that make the page in the browser from the document,
// without third-party code (docs/clients.md compares it with third-party references). The page is at its address with
// and without a slash at the end, and relative addresses differ between the two.
func referencePages(pages map[string]http.Handler) error {
	const page = "reference/reference.html"
	// Here is where the page finds its files, and Root the root of the server: relative, so that the page also works behind a
	// proxy that puts a path in front.
	inside, err := render(page, referencePolicy, map[string]any{"Here": "./", "Root": "../../"})
	if err != nil {
		return err
	}
	beside, err := render(page, referencePolicy, map[string]any{"Here": "api/", "Root": "../"})
	if err != nil {
		return err
	}
	pages[pathAPIDocs] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			inside.ServeHTTP(w, r)
			return
		}
		beside.ServeHTTP(w, r)
	})
	files, err := assets.ReadDir("assets/reference")
	if err != nil {
		return fmt.Errorf("read the files of the API reference: %w", err)
	}
	for _, f := range files {
		media := referenceMedia[path.Ext(f.Name())]
		if media == "" {
			continue
		}
		content, err := assets.ReadFile("assets/reference/" + f.Name())
		if err != nil {
			return fmt.Errorf("read %s of the API reference: %w", f.Name(), err)
		}
		pages[pathAPIDocs+"/"+f.Name()] = under(referencePolicy, file(media, content))
	}
	return nil
}

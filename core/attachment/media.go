package attachment

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"path"
	"slices"
	"strings"

	"tilth/core/fault"
)

// kind is a kind of file that is accepted.
type kind struct {
	media   string
	name    string   // for people
	endings []string // of the names of its files; the first is added to a name without one
	is      func(head []byte) bool
}

const (
	plainText = "text/plain"
	commaText = "text/csv"
	workbook  = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// kinds are recognised by how their files begin. Text begins like none of the others.
var kinds = []kind{
	{"application/pdf", "PDF", []string{".pdf"}, begins("%PDF-")},
	{"image/png", "PNG", []string{".png"}, begins("\x89PNG\r\n\x1a\n")},
	{"image/jpeg", "JPEG", []string{".jpg", ".jpeg"}, begins("\xff\xd8\xff")},
	{"image/webp", "WebP", []string{".webp"}, func(head []byte) bool {
		return begins("RIFF")(head) && len(head) >= 12 && string(head[8:12]) == "WEBP"
	}},
	{workbook, "XLSX", []string{".xlsx"}, begins("PK\x03\x04")},
	{commaText, "CSV", []string{".csv"}, nil},
	{plainText, "plain text", []string{".txt", ".md", ".tsv", ".log"}, nil},
}

func begins(with string) func(head []byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(with)) }
}

// Pictures are the media of photos.
var Pictures = []string{"image/jpeg", "image/png", "image/webp"}

// Media returns the content types of the kinds of files that are accepted, with what people call them.
func Media() map[string]string {
	out := map[string]string{}
	for _, k := range kinds {
		out[k.media] = k.name
	}
	return out
}

const headSize = 16

var byteOrderMark = []byte("\xef\xbb\xbf")

// Reader passes a file through on its way to where it is stored, and collects what is needed to judge it.
type Reader struct {
	from   io.Reader
	size   int64
	head   []byte
	first  byte // that is not white space; 0: none yet
	binary bool // it holds bytes that no text has
	sum    hash.Hash
}

// NewReader returns a reader of a file. Its faults are those of from.
func NewReader(from io.Reader) *Reader { return &Reader{from: from, sum: sha256.New()} }

func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	for _, b := range p[:n] {
		if r.first == 0 && b > ' ' && !bytes.Contains(byteOrderMark, []byte{b}) {
			r.first = b
		}
		r.binary = r.binary || b < ' ' && b != '\t' && b != '\r' && b != '\n' && b != '\f' || b == 0x7f
	}
	r.head = append(r.head, p[:min(n, headSize-len(r.head))]...)
	_, _ = r.sum.Write(p[:n]) // a hash takes everything
	r.size += int64(n)
	return n, err
}

// Identify completes a file that was read to its end: its size, hash and content type, by its content, and its name.
// stored reads the stored bytes, upper is their maximum number; where takes is given, a file of another medium is
// refused. Faults: Invalid, which names the file, and Limit (code body_too_large).
func (r *Reader) Identify(f *File, stored io.ReaderAt, upper int64, takes ...string) error {
	f.Size, f.SHA256 = r.size, hex.EncodeToString(r.sum.Sum(nil))
	switch {
	case r.size == 0:
		return fault.Field("file", "The file is empty.")
	case r.size > upper:
		return fault.Newf(fault.Limit, "body_too_large", "The file is larger than %d bytes.", upper).With("max_bytes", upper)
	}
	k, err := r.kind(f.Name)
	if err == nil && len(takes) > 0 && !slices.Contains(takes, k.media) {
		err = fault.Field("file", "By its content the file is "+k.name+", not one of "+strings.Join(namesOf(takes), ", ")+".")
	}
	if err == nil && k.media == workbook {
		err = checkWorkbook(stored, r.size)
	}
	if err != nil {
		return err
	}
	switch ending := strings.ToLower(path.Ext(f.Name)); {
	case ending == "":
		f.Name += k.endings[0]
	case !slices.Contains(k.endings, ending):
		wrong := fault.Fields{}
		wrong.Addf("file", "By its content the file is %s; its name ends in %s, not in %s.", k.name, ending, strings.Join(k.endings, " or "))
		return wrong.Err()
	}
	f.Media = k.media
	return nil
}

func (r *Reader) kind(name string) (kind, error) {
	for _, k := range kinds {
		switch {
		case k.is != nil && k.is(r.head):
			return k, nil
		case k.is == nil && !r.binary && r.first != '<' && (k.media == plainText || strings.EqualFold(path.Ext(name), ".csv")):
			return k, nil
		}
	}
	if !r.binary && r.first == '<' {
		return kind{}, fault.Field("file", "By its content the file is HTML, SVG or XML, which is not accepted; print it as PDF.")
	}
	return kind{}, fault.Field("file", "By its content the file is not one of "+strings.Join(namesOf(nil), ", ")+". Text must be UTF-8 or have one byte per character.")
}

// namesOf returns what people call the kinds of some media, or all that are accepted.
func namesOf(media []string) (out []string) {
	for _, k := range kinds {
		if media == nil || slices.Contains(media, k.media) {
			out = append(out, k.name)
		}
	}
	return out
}

// checkWorkbook refuses archives that are not workbooks, and workbooks with macros.
func checkWorkbook(stored io.ReaderAt, size int64) error {
	archive, err := zip.NewReader(stored, size)
	sheets := false
	if err == nil {
		for _, file := range archive.File {
			name := strings.ToLower(file.Name)
			if path.Base(name) == "vbaproject.bin" {
				return fault.Field("file", "The workbook contains macros; save it as .xlsx without them.")
			}
			sheets = sheets || name == "xl/workbook.xml"
		}
	}
	if !sheets {
		return fault.Field("file", "The archive is not an XLSX workbook; attach the files in it one by one.")
	}
	return nil
}

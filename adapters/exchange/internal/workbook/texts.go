package workbook

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strconv"

	"tilth/adapters/exchange/internal/archive"
	"tilth/adapters/exchange/internal/elements"
	"tilth/core/fault"
)

// maxTexts bounds the texts that cells share, eight bytes each in memory.
const maxTexts = 2_000_000

// texts are the strings that the cells of a workbook share. They are kept on disk: a file may consist of little else.
type texts struct {
	file *os.File // nil: there are none
	ends []int64
}

// readTexts reads the part of shared texts; a nil part: the workbook has none.
func readTexts(part *zip.File) (*texts, error) {
	t := &texts{}
	if part == nil {
		return t, nil
	}
	in, err := archive.ContentUpTo(part, maxSheetBytes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	if t.file, err = os.CreateTemp("", "tilth-workbook-*"); err != nil {
		return nil, diskAway(err)
	}
	if err := t.fill(elements.Of("workbook", in)); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *texts) fill(from *elements.Reader) error {
	out, end := bufio.NewWriterSize(t.file, 64<<10), int64(0)
	for {
		token, err := from.Token()
		if errors.Is(err, io.EOF) && from.Depth() == 0 {
			if err := out.Flush(); err != nil {
				return diskAway(err)
			}
			return nil
		}
		if err != nil {
			return from.Explained(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "si" {
			continue
		}
		text, err := richText(from)
		if err != nil {
			return from.Explained(err)
		}
		if len(t.ends) == maxTexts {
			return refuse("The workbook has more than %d different texts. Fix: save the sheet as CSV.", maxTexts)
		}
		end += int64(len(text))
		t.ends = append(t.ends, end)
		if _, err := out.WriteString(text); err != nil {
			return diskAway(err)
		}
	}
}

var errNoText = errors.New("it refers to a text that does not exist")

// at returns the text that a cell refers to.
func (t *texts) at(place string) (string, error) {
	i, err := strconv.Atoi(place)
	if err != nil || i < 0 || i >= len(t.ends) {
		return "", errNoText
	}
	begin := int64(0)
	if i > 0 {
		begin = t.ends[i-1]
	}
	text := make([]byte, t.ends[i]-begin)
	if _, err := t.file.ReadAt(text, begin); err != nil {
		return "", err
	}
	return string(text), nil
}

// Close removes the file of the texts.
func (t *texts) Close() error {
	if t.file == nil {
		return nil
	}
	return errors.Join(t.file.Close(), os.Remove(t.file.Name()))
}

func diskAway(err error) error {
	return fault.New(fault.Unavailable, "storage_unavailable", "The server has no room on its disk for the workbook; try again later.").Because(err)
}

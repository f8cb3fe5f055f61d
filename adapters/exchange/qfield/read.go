package qfield

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tilth/adapters/exchange/internal/archive"
	"tilth/adapters/exchange/internal/geopackage"
	"tilth/core/fault"
	"tilth/core/stratification/crew"
	"tilth/ports"
)

// maxGeoPackage bounds a GeoPackage that is read: one of 10,000 points has a tenth of it.
const maxGeoPackage = 64 << 20

// Read implements ports.CrewPackages.
func (Packages) Read(ctx context.Context, file ports.Object, maxRows int) (ports.CrewRecords, error) {
	head := make([]byte, len(geopackage.Head))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return ports.CrewRecords{}, err
	}
	switch {
	case string(head) == geopackage.Head:
		points, samples, err := readAlone(ctx, io.NewSectionReader(file, 0, file.Size()), nil, maxRows)
		return ports.CrewRecords{Points: points, Samples: samples}, err
	case strings.HasPrefix(string(head), "PK"):
		return readFolder(ctx, file, maxRows)
	}
	return ports.CrewRecords{}, refuse("The file is neither a zipped folder of a package nor a GeoPackage. Fix: send the folder that came from the crew's device, zipped.")
}

// readFolder reads the zipped folder of a package.
func readFolder(ctx context.Context, file ports.Object, maxRows int) (out ports.CrewRecords, err error) {
	found, err := archive.Open(file)
	if err != nil {
		return out, err
	}
	byName := make(map[string]*zip.File, len(found.File))
	var packages []string
	for _, entry := range found.File {
		if !filepath.IsLocal(entry.Name) || strings.Contains(entry.Name, `\`) {
			return out, refuse("The name %.80q in the zip archive leads out of its folder. Fix: zip the folder of the package again.", entry.Name)
		}
		if byName[entry.Name] != nil {
			return out, refuse("%.80q occurs twice in the zip archive. Fix: zip the folder of the package again.", entry.Name)
		}
		byName[entry.Name] = entry
		if strings.EqualFold(path.Ext(entry.Name), ".gpkg") && !strings.HasPrefix(path.Base(entry.Name), ".") && !strings.HasPrefix(entry.Name, "__MACOSX/") {
			packages = append(packages, entry.Name)
		}
	}
	if len(packages) != 1 {
		return out, refuse("The zip archive holds %d GeoPackages (.gpkg). Fix: send the folder of one package.", len(packages))
	}
	name := packages[0]
	if journal := byName[name+"-journal"]; journal != nil && journal.UncompressedSize64 > 0 {
		return out, refuse("%.80q was cut off while it was saved. Fix: open the project on the device once more, close it, and send the folder again.", name)
	}
	content, err := archive.Content(byName[name])
	if err != nil {
		return out, err
	}
	defer content.Close()
	var log io.Reader
	if entry := byName[name+"-wal"]; entry != nil && entry.UncompressedSize64 > 0 {
		opened, err := archive.Content(entry)
		if err != nil {
			return out, err
		}
		defer opened.Close()
		log = opened
	}
	out.Points, out.Samples, err = readAlone(ctx, content, log, maxRows)
	out.Photo = func(name string) (io.ReadCloser, error) {
		entry := byName[path.Join(path.Dir(packages[0]), name)]
		if entry == nil {
			return nil, fault.Field("photo", fmt.Sprintf("%.200q is not in the folder. Fix: add it to the folder, or empty the field.", name))
		}
		return archive.Content(entry)
	}
	return out, err
}

// readAlone reads a GeoPackage, with the log of what was not yet written to it where there is one. SQLite reads files, so both are
// written to a folder of their own, under fixed names, and removed at the end.
func readAlone(ctx context.Context, content, log io.Reader, maxRows int) (points []crew.Point, samples []crew.Sample, err error) {
	folder, err := os.MkdirTemp("", "tilth-crew-*")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	name := filepath.Join(folder, "package.gpkg")
	if err := save(name, content); err != nil {
		return nil, nil, err
	}
	if log != nil {
		if err := save(name+"-wal", log); err != nil {
			return nil, nil, err
		}
	}
	return readDatabase(ctx, name, log != nil, maxRows)
}

func save(name string, content io.Reader) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	size, err := io.Copy(file, io.LimitReader(content, maxGeoPackage+1))
	if err == nil && size > maxGeoPackage {
		err = refuse("The GeoPackage is larger than %d MiB. Fix: send only the package of the plan, without layers of your own.", maxGeoPackage>>20)
	}
	return errors.Join(err, file.Close())
}

func refuse(format string, args ...any) error {
	return fault.Field("file", fmt.Sprintf(format, args...))
}

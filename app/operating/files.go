package operating

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"tilth/app"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/ports"
)

// markName is the name of the mark among the stored files, and maxMark the number of bytes read from it.
const (
	markName = "tilth-mark.txt"
	maxMark  = 4 << 10
)

// HoldFiles makes sure that the store of files belongs to the database, and ties the two together if neither has been
// tied yet. A process whose files differ from those of the other processes of its database would accept uploads that
// they never see. Faults: Precondition (files_elsewhere); Unavailable.
func (o *Operating) HoldFiles(ctx context.Context, files ports.Objects) error {
	if tied, err := o.CheckFiles(ctx, files); tied || err != nil {
		return err
	}
	text, err := readMark(ctx, files)
	if err != nil {
		return err
	}
	fresh := text == ""
	if fresh {
		text = o.newMark()
	}
	added, err := app.In(ctx, o.Store.Operate, func(ctx context.Context, tx ports.OperatorRepos) (bool, error) {
		added, err := tx.FileMark.Add(ctx, digestOf(text), o.Clock.Now())
		if err == nil && added && fresh {
			// Before the commit: whoever finds the digest also finds the mark. Other processes wait for this row meanwhile.
			_, err = files.Put(ctx, markName, strings.NewReader(text))
		}
		return added, err
	})
	if err != nil || added {
		return err
	}
	_, err = o.CheckFiles(ctx, files)
	return err
}

// CheckFiles returns whether the store of files is tied to the database, and changes nothing.
// Faults: Precondition (files_elsewhere) where the database is tied to another; Unavailable.
func (o *Operating) CheckFiles(ctx context.Context, files ports.Objects) (bool, error) {
	// The digest is read first: whoever finds it also finds the mark.
	digest, err := app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (string, error) { return tx.FileMark.Get(ctx) })
	if err != nil {
		return false, err
	}
	text, err := readMark(ctx, files)
	if err != nil || digest == "" {
		return false, err
	}
	if digestOf(text) == digest {
		return true, nil
	}
	found := "holds the mark of another"
	if text == "" {
		found = "does not hold its mark, the file " + markName
	}
	return false, fault.Newf(fault.Precondition, "files_elsewhere",
		"TILTH_OBJECTS_URL is not the place of this database's files: it %s. "+
			"Fix: set it to the address that the other processes of the database use (a folder they all share, or s3://…); if the files were moved, move the mark with them; "+
			"if they are lost, or this is a copy of the database with its own files, run `tilth files claim`.", found)
}

// ClaimFiles ties the store of files to the database, whatever either was tied to before.
func (o *Operating) ClaimFiles(ctx context.Context, files ports.Objects) error {
	text := o.newMark()
	return o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		now := o.Clock.Now()
		if err := tx.FileMark.Replace(ctx, digestOf(text), now); err != nil {
			return err
		}
		if err := tx.Trail.Add(ctx, o.ofInstallation(now, audit.Update, "file_mark", digestOf(text)[:16], nil)); err != nil {
			return err
		}
		_, err := files.Put(ctx, markName, strings.NewReader(text))
		return err
	})
}

func (o *Operating) newMark() string {
	return fmt.Sprintf("These are the files of one database of Tilth, which knows this line. Keep it with them.\n%s %s\n", o.IDs.UUID(), o.IDs.UUID())
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// readMark returns the text of the mark; empty where there is none.
func readMark(ctx context.Context, files ports.Objects) (string, error) {
	file, err := files.Open(ctx, markName)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.NewSectionReader(file, 0, min(file.Size(), maxMark)))
	return string(text), err
}

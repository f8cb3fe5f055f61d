package rig

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"tilth/core/ghg"
	"tilth/core/ghg/replay"
	"tilth/tests/witness"
)

// versions are the versions that the servers of this program made, each once, even if several servers used a database in turn.
var versions struct {
	sync.Mutex
	known map[[sha256.Size]byte]bool // those already replayed
	files [][]byte                   // for the second witness
}

// maxSecondWitness limits the second witness to a few seconds.
const maxSecondWitness = 300

// Replayed returns the number of versions that were replayed when their servers stopped.
func Replayed() int {
	versions.Lock()
	defer versions.Unlock()
	return len(versions.known)
}

// replayed recomputes every version of a database that this engine made. A database that no longer exists, or that a
// test has spoilt, has none.
func replayed(t testing.TB, database string) {
	t.Helper()
	driver, source := "pgx", database
	if file, ok := strings.CutPrefix(database, "sqlite:"); ok {
		driver, source = "sqlite", file
		if _, err := os.Stat(file); err != nil {
			return
		}
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return
	}
	defer func() { _ = db.Close() }()
	rows, err := db.Query(`SELECT assessment_id, number, digest, snapshot, entered, entered_digest, report FROM assessment_versions
		WHERE engine = '` + ghg.EngineID + `' AND engine_version = '` + ghg.EngineVersion + `'`)
	if err != nil {
		return
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var assessment, number int64
		var digest, snapshot, entered, enteredDigest, report string
		if err := rows.Scan(&assessment, &number, &digest, &snapshot, &entered, &enteredDigest, &report); err != nil {
			t.Errorf("the versions cannot be read: %v", err)
			return
		}
		file, err := json.Marshal(map[string]any{
			"input_digest": digest, "snapshot": json.RawMessage(snapshot), "entered_digest": enteredDigest,
			"entered": json.RawMessage(entered), "report": json.RawMessage(report),
		})
		if err == nil {
			err = replayOnce(file)
		}
		if err != nil {
			t.Errorf("version %d of assessment %d: %v", number, assessment, err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Errorf("the versions cannot be read: %v", err)
	}
}

// replayOnce replays a version unless it was replayed before.
func replayOnce(file []byte) error {
	sum := sha256.Sum256(file)
	versions.Lock()
	defer versions.Unlock()
	if versions.known[sum] {
		return nil
	}
	if versions.known == nil {
		versions.known = map[[sha256.Size]byte]bool{}
	}
	versions.known[sum] = true
	if len(versions.files) < maxSecondWitness {
		versions.files = append(versions.files, file)
	}
	out, err := replay.Version(file)
	if err == nil && out.Difference != nil {
		err = out.Difference
	}
	return err
}

// witnessed returns the objections of the second witness to the versions of this program, or an empty string if it agrees.
func witnessed() string {
	versions.Lock()
	defer versions.Unlock()
	if len(versions.files) == 0 {
		return ""
	}
	said, err := witness.Run(versions.files)
	if err != nil {
		return err.Error()
	}
	var wrong []string
	for _, line := range said {
		if !strings.HasPrefix(line, "same: ") {
			wrong = append(wrong, line)
		}
	}
	fmt.Printf("replay: %d versions were made and recomputed, %d of them by a second witness\n", len(versions.known), len(said))
	return strings.Join(wrong, "\n")
}

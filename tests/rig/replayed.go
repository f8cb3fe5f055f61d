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

// versions are those that the servers of this program made, each once, though servers may follow one another on a database.
var versions struct {
	sync.Mutex
	known map[[sha256.Size]byte]bool // that were replayed
	files [][]byte                   // for the second witness
}

// maxSecondWitness keeps the second witness to a few seconds.
const maxSecondWitness = 300

// Replayed returns how many versions were replayed when their servers stopped.
func Replayed() int {
	versions.Lock()
	defer versions.Unlock()
	return len(versions.known)
}

// replayed recomputes every version of a database that this engine made. A database that is no longer there, or that a test
// has spoilt, has none.
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

// replayOnce replays what was not replayed before.
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

// witnessed returns what the second witness has against the versions of this program; empty where it agrees.
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

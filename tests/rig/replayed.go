package rig

import (
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

// versions are those that the servers of this program made, for the second witness: each once, and no more than a few
// seconds of it.
var versions struct {
	sync.Mutex
	count int // that were replayed
	known map[string]bool
	files [][]byte
}

const maxSecondWitness = 300

// Replayed returns how many versions were replayed when their servers stopped.
func Replayed() int {
	versions.Lock()
	defer versions.Unlock()
	return versions.count
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
			err = replayOnce(digest+enteredDigest, file)
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
func replayOnce(content string, file []byte) error {
	versions.Lock()
	defer versions.Unlock()
	if versions.known[content] {
		return nil
	}
	if versions.known == nil {
		versions.known = map[string]bool{}
	}
	versions.known[content] = true
	versions.count++
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
	fmt.Printf("replay: %d versions were made and recomputed, %d of them by a second witness\n", versions.count, len(said))
	return strings.Join(wrong, "\n")
}

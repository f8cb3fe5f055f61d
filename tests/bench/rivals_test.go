package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/pgtest"
	"tilth/tests/rig"
)

// peer is another server with the same records.
type peer struct {
	name    string
	process *rig.Process
	known   map[string]string // token, company, farm, field
}

// startPeer starts the peer for a database; it returns nil where none is requested.
func startPeer(b *testing.B, database string) *peer {
	if os.Getenv("TILTH_BENCH_PEERS") == "" {
		return nil
	}
	if database == "sqlite" {
		return startPocketBase(b)
	}
	return startDRF(b)
}

// startPocketBase starts PocketBase, which is a module of its own. With TILTH_BENCH_PEERS=durable its commits wait for
// the disk, as the program's do; otherwise it runs with its defaults.
func startPocketBase(b *testing.B) *peer {
	binary := filepath.Join(b.TempDir(), "pocketbase")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("peers", "pocketbase")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(b, err, string(out))
	first := &firstLine{done: make(chan struct{})}
	cmd := exec.Command(binary, b.TempDir(), fmt.Sprint(floorFields), os.Getenv("TILTH_BENCH_PEERS"))
	cmd.Stdout, cmd.Stderr = first, os.Stderr
	require.NoError(b, cmd.Start())
	p := &peer{name: "pocketbase", process: &rig.Process{Cmd: cmd}, known: map[string]string{}}
	b.Cleanup(p.process.Kill)
	<-first.done
	require.NoError(b, json.NewDecoder(bytes.NewReader(first.text)).Decode(&p.known))
	p.process.URL = p.known["url"]
	return p
}

// firstLine keeps the first line of what is written.
type firstLine struct {
	text []byte
	done chan struct{}
}

// Write implements io.Writer.
func (f *firstLine) Write(p []byte) (int, error) {
	if !bytes.HasSuffix(f.text, []byte("\n")) {
		if f.text = append(f.text, p...); bytes.HasSuffix(f.text, []byte("\n")) {
			close(f.done)
		}
	}
	return len(p), nil
}

// startDRF starts Django REST framework under gunicorn, from Debian's packages.
func startDRF(b *testing.B) *peer {
	environ := append(os.Environ(), "PEERS_DATABASE="+pgtest.Open(b), "PYTHONPATH=peers", "PYTHONDONTWRITEBYTECODE=1")
	settle := exec.Command("/usr/bin/python3", "-c", fmt.Sprintf("import drf; drf.settle(%d)", floorFields))
	settle.Env, settle.Stderr = environ, os.Stderr
	out, err := settle.Output()
	require.NoError(b, err, "Debian's python3-djangorestframework, python3-psycopg2 and gunicorn are needed")
	p := &peer{name: "drf", known: map[string]string{}}
	require.NoError(b, json.Unmarshal(out, &p.known))
	address := rig.FreeAddr(b)
	cmd := exec.Command("gunicorn", "--bind", address, "--workers", "2", "--worker-class", "gthread", "--threads", "4", "--keep-alive", "60", "--log-level", "error", "drf:application")
	cmd.Env, cmd.Stderr = environ, os.Stderr
	require.NoError(b, cmd.Start())
	p.process = &rig.Process{Cmd: cmd, URL: "http://" + address}
	b.Cleanup(func() { _ = p.process.Terminate() })
	require.Eventually(b, func() bool {
		conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	return p
}

// rival returns the peer with its own equivalent of an errand.
func (p *peer) rival(b *testing.B, errand string) rival {
	if p.name == "drf" {
		return rival{p.name, p.process, p.drf(b, errand), "Token " + p.known["token"]}
	}
	return rival{p.name, p.process, p.pocketbase(b, errand), p.known["token"]}
}

func (p *peer) drf(b *testing.B, name string) errand {
	one := map[string]any{"name": "New", "farm_id": json.Number(p.known["farm"]), "soil_type": "loam", "notes": "bench"}
	switch name {
	case "retrieve":
		return errand{name, "GET", "/api/field/" + p.known["field"] + "/", nil}
	case "list":
		return errand{name, "GET", "/api/field/", nil}
	case "create":
		return errand{name, "POST", "/api/field/", marshal(b, one)}
	}
	return errand{name, "POST", "/api/field/", marshal(b, slices.Repeat([]any{one}, floorBulk))}
}

// pocketbase requests what the program's responses contain too: a record with the names of what it refers to.
func (p *peer) pocketbase(b *testing.B, name string) errand {
	const fields, expand = "/api/collections/fields/records", "?expand=farm,company,created_by"
	one := map[string]any{"name": "New", "farm": p.known["farm"], "company": p.known["company"], "soil_type": "loam", "notes": "bench"}
	switch name {
	case "retrieve":
		return errand{name, "GET", fields + "/" + p.known["field"] + expand, nil}
	case "list":
		return errand{name, "GET", fields + expand + "&perPage=10&sort=id", nil}
	case "create":
		return errand{name, "POST", fields + expand, marshal(b, one)}
	}
	each := map[string]any{"method": "POST", "url": fields + expand, "body": one}
	return errand{name, "POST", "/api/batch", marshal(b, map[string]any{"requests": slices.Repeat([]any{each}, floorBulk)})}
}

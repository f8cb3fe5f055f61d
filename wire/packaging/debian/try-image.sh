#!/usr/bin/env bash
# Starts a container image of `make release` with a read-only root, as its own user and without any capability, in the
# container runtime that is available: a Docker engine, or runc alone (Debian: apt-get install runc).
#
#   try-image.sh IMAGE.tar
set -euo pipefail
image=$1
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

work=$(mktemp -d)
name=tilth-image-$$
engine=
clean() {
	case $engine in
	docker) docker rm -f "$name" >/dev/null 2>&1 || true ;;
	runc) runc --root "$work/state" delete --force "$name" >/dev/null 2>&1 || true ;;
	esac
	rm -rf "$work"
}
trap clean EXIT

# The same checks for both: it is ready by its own health check, its root cannot be written to, its folder for data can.
ask() { # ask RUN…: runs a command in the container
	for _ in $(seq 300); do
		if "$@" /tilth health >"$work/health" 2>&1; then
			cat "$work/health"
			"$@" /tilth version
			! "$@" /tilth backup /backup.tar >"$work/said" 2>&1 || fail "the root can be written"
			grep -iF 'read-only' "$work/said" || { cat "$work/said" >&2; fail "not refused as read-only"; }
			"$@" /tilth backup /data/backup.tar
			return 0
		fi
		sleep 0.1
	done
	cat "$work/health" "$work/log" >&2 2>/dev/null || true
	fail "the image is not ready"
}

if timeout 10 docker version >/dev/null 2>&1; then
	engine=docker
	tag=$(docker load -q -i "$image" | sed 's/^Loaded image: //')
	docker run -d --name "$name" --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges "$tag" >/dev/null
	ask docker exec "$name"
elif command -v runc >/dev/null && [ "$(id -u)" = 0 ]; then
	engine=runc
	mkdir -p "$work/image" "$work/rootfs"
	tar -C "$work/image" -xf "$image"
	python3 - "$work" <<'PY'
import json, sys
work = sys.argv[1]
manifest = json.load(open(f"{work}/image/manifest.json"))[0]
config = json.load(open(f"{work}/image/{manifest['Config']}"))["config"]
uid, gid = map(int, config["User"].split(":"))
mounts = [
    {"destination": "/proc", "type": "proc", "source": "proc"},
    {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777", "size=64m"]},
    {"destination": "/data", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=0700", f"uid={uid}", f"gid={gid}"]},
]
json.dump({
    "ociVersion": "1.0.2", "root": {"path": "rootfs", "readonly": True}, "mounts": mounts, "hostname": "tilth",
    "process": {"terminal": False, "user": {"uid": uid, "gid": gid}, "args": config["Entrypoint"] + config["Cmd"], "env": config["Env"],
                "cwd": config["WorkingDir"], "noNewPrivileges": True,
                "capabilities": {name: [] for name in ("bounding", "effective", "permitted")}},
    "linux": {"namespaces": [{"type": name} for name in ("pid", "mount", "ipc", "uts", "network")]},
}, open(f"{work}/config.json", "w"))
PY
	for layer in $(python3 -c 'import json,sys; print(*json.load(open(sys.argv[1]))[0]["Layers"])' "$work/image/manifest.json"); do
		tar -C "$work/rootfs" -xf "$work/image/$layer"
	done
	mkdir -p "$work/rootfs/proc" # an engine creates mount points; runc on a read-only root does not
	runc --root "$work/state" run -d --bundle "$work" "$name" >"$work/log" 2>&1 </dev/null || { cat "$work/log" >&2; fail "runc does not start the image"; }
	ask runc --root "$work/state" exec "$name"
else
	echo "NOTE: neither a Docker engine nor runc, so the image is NOT STARTED. Fix: apt-get install runc (Debian)."
fi

#!/usr/bin/env bash
# Installs, serves, upgrades and removes the Debian package, and starts the container image read-only, each in a root of its
# own: nothing on this machine is changed. Needs Linux, root, and Debian's debootstrap; systemd-analyze, systemd-nspawn and runc
# check more if they are installed.
#
#   try.sh [FOLDER]     FOLDER keeps the Debian root for the next run (default: a temporary one)
set -euo pipefail
cd "$(dirname "$0")/../../.."

say() { printf '=== %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
[ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ] || { echo "SKIPPED: packages are tried on Linux as root. Fix: sudo make test-packages."; exit 0; }
command -v debootstrap >/dev/null || { echo "SKIPPED: no debootstrap. Fix: apt-get install debootstrap (Debian)."; exit 0; }

work=$(mktemp -d)
kept=${1:-$work/root}
pid=
clean() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	if mountpoint -q "$kept/proc"; then umount "$kept/proc"; fi
	rm -rf "$work"
}
trap clean EXIT

arch=$(dpkg --print-architecture)
for version in 0.1.0 0.2.0; do
	say "a release $version for linux/$arch"
	go -C wire/packaging run ./release -version "$version" -platforms "linux/$arch" -out "$work/$version"
done
package() { ls "$work/$1"/tilth_*_"$arch".deb; }
dpkg-deb --info "$(package 0.1.0)" | sed -n '/Package:/,$p'

unit=wire/packaging/debian/tilth.service
if command -v systemd-analyze >/dev/null; then
	say "systemd-analyze verify and security"
	install -D -m 0644 "$unit" "$work/units/tilth.service"
	sed -i "s#^ExecStart=/usr/bin/tilth#ExecStart=$(command -v true)#" "$work/units/tilth.service" # the program is not installed here
	said=$(systemd-analyze verify --man=no "$work/units/tilth.service" 2>&1 | grep tilth.service || true)
	[ -z "$said" ] || fail "$said"
	systemd-analyze security --offline=true --threshold=20 --no-pager "$work/units/tilth.service" | tail -n 1
fi

if [ ! -x "$kept/usr/bin/dpkg" ]; then
	say "a Debian root"
	debootstrap --variant=minbase --include=ca-certificates,curl bookworm "$kept" >"$work/log" 2>&1 || { tail "$work/log" >&2; exit 1; }
fi
mount -t proc proc "$kept/proc"
in_root() { chroot "$kept" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
install_package() { cp "$(package "$1")" "$kept/tmp/tilth.deb" && in_root dpkg -i /tmp/tilth.deb; }

# Does by hand what the unit declares: its user, folders, variables and command.
as_service() {
	local environment=() line
	while IFS= read -r line; do
		case $line in "" | "#"*) ;; *=*) environment+=("$line") ;; esac
	done < <(cat "$kept/usr/lib/tilth/defaults.env" "$kept/etc/tilth/tilth.env"; sed -n 's#^Environment=##p' "$kept/usr/lib/systemd/system/tilth.service" | sed 's#%d#/run/credentials/tilth.service#')
	install -d -o 61184 -g 61184 -m 0700 "$kept/var/lib/tilth" "$kept/var/cache/tilth"
	install -D -o 61184 -g 61184 -m 0400 "$kept/etc/tilth/secret.key" "$kept/run/credentials/tilth.service/secret.key"
	chmod 0755 "$kept/run/credentials" "$kept/run/credentials/tilth.service"
	exec chroot --userspec=61184:61184 "$kept" /usr/bin/env -i -C /var/lib/tilth PATH=/usr/bin:/bin "${environment[@]}" "${variables[@]}" "$@"
}
port=$((20000 + RANDOM % 20000))
variables=("TILTH_ADDR=127.0.0.1:$port" "TILTH_ADMIN_ADDR=127.0.0.1:$((port + 1))")
serve() {
	# shellcheck disable=SC2046 # a command line without quotes
	as_service $(sed -n 's#^ExecStart=##p' "$kept/usr/lib/systemd/system/tilth.service") >"$work/served" 2>&1 &
	pid=$!
	for _ in $(seq 300); do
		if (as_service /usr/bin/tilth health) >/dev/null 2>&1; then return 0; fi
		kill -0 "$pid" 2>/dev/null || { cat "$work/served" >&2; fail "the server ended"; }
		sleep 0.1
	done
	cat "$work/served" >&2
	fail "the server is not ready"
}
stop() {
	kill -TERM "$pid"
	wait "$pid" || fail "the server ended with status $?"
	pid=
}

say "install"
since=$(date +%s%N)
install_package 0.1.0
[ "$(stat -c %a "$kept/etc/tilth/secret.key")" = 600 ] || fail "the key can be read by others"
[ "$(stat -c %a "$kept/etc/tilth/tilth.env")" = 600 ] || fail "the settings can be read by others"
[ -L "$kept/etc/systemd/system/multi-user.target.wants/tilth.service" ] || fail "the service is not enabled"
in_root tilth version | grep -F 'Tilth 0.1.0'
serve
echo "from the package to a server that is ready: $((($(date +%s%N) - since) / 1000000)) ms"
(as_service /usr/bin/tilth company create --name "A company of the package")
(as_service /usr/bin/tilth user create --company 1 --email a@example.org --role owner) >/dev/null
token=$(as_service /usr/bin/tilth token create --user a@example.org)
api() { in_root curl -sS --fail-with-body -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "http://127.0.0.1:$port/api/v1.2/$1" "${@:2}"; }
api farm/ -d '{"name": "A farm of the package", "country": "spain"}' >/dev/null
(as_service /usr/bin/tilth doctor) | grep -E 'secrets|database' || true
stop

say "upgrade"
key=$(sha256sum "$kept/etc/tilth/secret.key")
echo 'TILTH_LOG_LEVEL=warn' >>"$kept/etc/tilth/tilth.env" # a manual change, which must stay
install_package 0.2.0
[ "$key" = "$(sha256sum "$kept/etc/tilth/secret.key")" ] || fail "the upgrade made another key"
grep -q '^TILTH_LOG_LEVEL=warn$' "$kept/etc/tilth/tilth.env" || fail "the upgrade overwrote the settings"
serve
in_root tilth version | grep -F 'Tilth 0.2.0'
api farm/ | grep -o '"name":"A farm of the package"' || fail "the farm is gone"
stop

say "remove and purge"
in_root dpkg -r tilth
[ ! -e "$kept/usr/bin/tilth" ] || fail "the program is still there"
[ -e "$kept/etc/tilth/tilth.env" ] || fail "a removal took the settings"
in_root dpkg -P tilth
[ ! -e "$kept/etc/tilth/tilth.env" ] || fail "a purge left the settings"
[ -e "$kept/var/lib/tilth/tilth.db" ] && [ -e "$kept/etc/tilth/secret.key" ] || fail "a purge took the data"
rm -rf "$kept/var/lib/tilth" "$kept/var/cache/tilth" "$kept/etc/tilth" "$kept/run/credentials"

say "the unit, run by systemd"
umount "$kept/proc"
wire/packaging/debian/try-boot.sh "$kept" "$(package 0.2.0)"

say "the image, read-only"
wire/packaging/debian/try-image.sh "$work/0.1.0"/tilth_*_image_"$arch".tar
say "what the compose file writes, without containers"
TILTH_COMPOSE=1 go -C wire/packaging test -count=1 -timeout 20m -v -run '^TestComposeRuns$' .
say "all of it works"

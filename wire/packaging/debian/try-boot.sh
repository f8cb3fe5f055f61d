#!/usr/bin/env bash
# Boots a Debian root with systemd and the package installed, so that the unit runs as it is written, with its user,
# credential and filters. The root has its own network. Needs systemd-nspawn (Debian: apt-get install systemd-container).
#
#   try-boot.sh ROOT PACKAGE.deb     ROOT is copied
set -euo pipefail
root=$1 package=$2
fail() { printf 'FAILED: %s\n' "$*" >&2; [ ! -e "$work/root/said" ] || cat "$work/root/said" >&2; exit 1; }
nspawn=${NSPAWN:-$(command -v systemd-nspawn || true)}
[ -n "$nspawn" ] || { echo "NOTE: no systemd-nspawn, so the unit is NOT RUN BY SYSTEMD. Fix: apt-get install systemd-container (Debian)."; exit 0; }

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
chmod 0755 "$work"
cp -a --one-file-system "$root" "$work/root"
in_root() { chroot "$work/root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
if [ ! -x "$work/root/usr/bin/systemd-run" ]; then
	{ in_root apt-get update -qq && in_root apt-get install -y -qq --no-install-recommends systemd systemd-sysv dbus; } >"$work/log" 2>&1 || { tail "$work/log" >&2; exit 1; }
fi
cp "$package" "$work/root/tmp/tilth.deb"
in_root dpkg -i /tmp/tilth.deb >/dev/null

cat >"$work/root/usr/local/sbin/try" <<'TRY'
#!/bin/bash
exec >/said 2>&1
ready() { for _ in $(seq 300); do curl -sf http://127.0.0.1:8080/readyz && return; sleep 0.1; done; }
ready
pid=$(systemctl show tilth -p MainPID --value)
grep -E '^(NoNewPrivs|Seccomp|CapEff|CapBnd):' "/proc/$pid/status"
echo "user $(stat -c %u "/proc/$pid")"
tilth-admin config --origins | grep -E '^TILTH_(DATABASE_URL|SECRET_KEY_FILE)='
tilth-admin company create --name "A company by systemd"
systemctl restart tilth
ready
tilth-admin company list
tilth-admin doctor | grep -E ' (database|secrets|backups) '
systemctl is-active tilth
TRY
cat >"$work/root/etc/systemd/system/try.service" <<'TRY'
[Unit]
After=tilth.service
[Service]
Type=oneshot
ExecStart=/bin/bash /usr/local/sbin/try
ExecStopPost=/bin/systemctl poweroff
TimeoutStartSec=120
TRY
mkdir -p "$work/root/etc/systemd/system/multi-user.target.wants"
ln -s ../try.service "$work/root/etc/systemd/system/multi-user.target.wants/try.service"
: >"$work/root/etc/machine-id" # one of its own

timeout 240 "$nspawn" --quiet --directory="$work/root" --register=no --keep-unit --private-network --console=pipe --boot </dev/null >"$work/boot" 2>&1 ||
	{ tail -n 20 "$work/boot" >&2; fail "systemd did not come to its end"; }
cat "$work/root/said"
expect() { grep -qE "$1" "$work/root/said" || fail "systemd's run does not say $1"; }
expect '^CapBnd:.0+$'
expect '^NoNewPrivs:.1$'
expect '^Seccomp:.2$'
expect '^user 6[0-9]{4}$' # from the range that systemd assigns
expect '^TILTH_DATABASE_URL=sqlite:/var/lib/tilth/tilth.db  # environment$'
expect '^TILTH_SECRET_KEY_FILE=/run/credentials/.*/secret.key  # environment$'
expect '^ +1  A company by systemd'
expect '^ok +secrets +stored secrets are sealed'
expect '^active$'

#!/usr/bin/env bash
# Makes a container image with PostgreSQL and the NATS server from Debian's
# packages, for machines that reach a Debian mirror but no image registry.
# In the image, PostgreSQL behaves like the usual postgres images as far as the
# tests need: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, POSTGRES_INITDB_ARGS.
# Any other command (nats-server) is run as it is.
#
#   build-image.sh [--force]     builds unless the image is there; prints its name
#
# Environment: IMAGE (default tilth-test:bookworm), DEBIAN_MIRROR (default: debootstrap's own).
# Needs root, debootstrap and a running engine. Takes about a minute and 700 MB.
set -euo pipefail

image=${IMAGE:-tilth-test:bookworm}
say() { printf '%s\n' "$*" >&2; }

for program in docker debootstrap; do
	command -v "$program" >/dev/null || { say "build-image: $program is missing (Debian: apt-get install docker.io debootstrap)"; exit 1; }
done
docker version >/dev/null 2>&1 || { say "build-image: no container engine answers"; exit 1; }
if [ "${1:-}" != --force ] && docker image inspect "$image" >/dev/null 2>&1; then
	printf '%s\n' "$image"
	exit 0
fi
[ "$(id -u)" = 0 ] || { say "build-image: debootstrap needs root"; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root

say "build-image: Debian packages to $image"
mirror=()
[ -z "${DEBIAN_MIRROR:-}" ] || mirror=("$DEBIAN_MIRROR")
debootstrap --variant=minbase --include=postgresql-15,nats-server bookworm "$root" "${mirror[@]}" >"$folder/log" 2>&1 ||
	{ tail -n 30 "$folder/log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/var/lib/postgresql/15
install -m 0755 "$(dirname "$0")/entrypoint.sh" "$root/usr/local/bin/entrypoint.sh"

tar -C "$root" -c . | docker import \
	--change 'ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
	--change 'ENV PGDATA=/var/lib/postgresql/data' \
	--change 'ENTRYPOINT ["/usr/local/bin/entrypoint.sh"]' \
	--change 'CMD ["postgres"]' \
	--change 'EXPOSE 5432 4222 6222 8222' \
	- "$image" >/dev/null
printf '%s\n' "$image"

#!/bin/bash
# The entry point of the image that build-image.sh makes: prepares a cluster for
# the command postgres, runs any other command as it is.
set -euo pipefail

if [ "${1:-}" != postgres ]; then
	exec "$@"
fi

as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }

user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	: "${POSTGRES_PASSWORD:?POSTGRES_PASSWORD must be set}"
	install -d -m 0700 -o postgres -g postgres "$PGDATA"
	secret=$PGDATA.password
	install -m 0600 -o postgres -g postgres /dev/null "$secret"
	printf '%s\n' "$POSTGRES_PASSWORD" >"$secret"
	# Local connections by the socket are trusted, as there is nobody else in the container.
	# POSTGRES_INITDB_ARGS is a list of arguments, so it is split on purpose.
	# shellcheck disable=SC2086
	as_postgres initdb -D "$PGDATA" -U "$user" --pwfile="$secret" \
		--auth-local=trust --auth-host=scram-sha-256 ${POSTGRES_INITDB_ARGS:-}
	rm "$secret"
	printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
	if [ "$database" != postgres ]; then
		printf 'CREATE DATABASE "%s";\n' "${database//\"/\"\"}" | as_postgres postgres --single -D "$PGDATA" postgres
	fi
fi
install -d -m 2775 -o postgres -g postgres /run/postgresql
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@" -c listen_addresses='*'

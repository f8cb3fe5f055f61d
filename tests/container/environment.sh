#!/usr/bin/env bash
# Prints the shell commands that set the environment of tests in containers, for
# eval: which image PostgreSQL runs from, and whether the container library's
# reaper can be had. Fails when no image can be had.
#
# An image that the caller names is used; else the usual one, if it is here or
# its registry answers; else build-image.sh makes one from Debian's packages.
set -euo pipefail

usual=postgres:15-alpine
here=$(dirname "$0")

if [ -n "${TILTH_TEST_POSTGRES_IMAGE:-}" ]; then
	exit 0
fi
if docker image inspect "$usual" >/dev/null 2>&1 || timeout 120 docker pull --quiet "$usual" >/dev/null 2>&1; then
	printf 'export TILTH_TEST_POSTGRES_IMAGE=%q\n' "$usual"
	exit 0
fi
printf 'containers: no %s here and no registry answers, so an image is made\n' "$usual" >&2
image=$("$here/build-image.sh")
printf 'export TILTH_TEST_POSTGRES_IMAGE=%q\n' "$image"
# The reaper is an image of that registry, too; the tests remove their containers themselves.
printf 'export TESTCONTAINERS_RYUK_DISABLED=true\n'

#!/bin/sh
# One night: fuzz, say what is new since all nights before, and add it to the history.
#
# TARGET is what to test, HOURS how long, FOLDER where the nights are kept; KNOWN may name a known.toml (its whole path).
# Exit status: 0 nothing new was found, 1 something was, 2 something is wrong. Started again on the same day, it goes on.
set -eu

if [ $# -gt 0 ]; then
  status=0
  case $1 in -h | --help) ;; *) status=2; exec >&2 ;; esac
  echo "usage: nightly.sh, without arguments"
  sed -n '2,5s/^# *//p' "$0"
  exit "$status"
fi

: "${TARGET:=tint}" "${HOURS:=6}" "${FOLDER:=.}" "${KNOWN:=}"
mkdir -p "$FOLDER"
cd "$FOLDER"
night=$(date -u +%Y%m%d)

# Runs a command that ends with status 1 if it finds something; what is worse ends the night.
finding() {
  found=0
  "$@" || found=$?
  [ "$found" -le 1 ] || exit "$found"
}

if [ ! -e "$night/run.sqlite" ]; then
  finding wgsl-fuzz --target "$TARGET" --hours "$HOURS" --seed "$night" --out "$night" ${KNOWN:+--known-file "$KNOWN"}
elif ! wgsl-fuzz status "$night" --format json | grep -q '"left":0.0'; then
  finding wgsl-fuzz --resume "$night" --target "$TARGET" ${KNOWN:+--known-file "$KNOWN"}
fi

if [ -d history ]; then
  finding wgsl-fuzz triage "$night" --since history --format text
else
  finding wgsl-fuzz triage "$night" --format text
fi
wgsl-fuzz report "$night" -o "$night.html"
wgsl-fuzz merge "$night" -o history

# Deletes older nights once the history has all that they found.
find . -maxdepth 1 -type d -name '20[0-9][0-9][0-9][0-9][0-9][0-9]' -mtime +30 | while read -r old; do
  if [ -e "$old/run.sqlite" ]; then
    wgsl-fuzz merge "$old" -o history && rm -r "$old" || echo "$old is kept" >&2
  fi
done
exit "$found"

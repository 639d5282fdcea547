#!/bin/sh
# The committed list, the headers, the shared and the static library name the same functions.
#   symbols_test.sh LIST HEADERS SHARED [STATIC]      NM: the nm to use
# Without STATIC (a sanitized build, whose archive is a plain one) the archive is left out.
set -eu
export LC_ALL=C
list=$1 headers=$2 shared=$3 static=${4:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

compare() { # what, file
    if diff -u "$list" "$2" >"$folder/diff"; then
        echo "$1: $(wc -l <"$2") functions, as in the list"
    else
        echo "$1 differs from $list:"
        cat "$folder/diff"
        failed=1
    fi
}

sort -u "$list" | cmp - "$list" || { echo "$list is not sorted"; exit 1; }

sed -nE 's/^STEMMA_API [^(]*[ *]([a-z0-9_]+)\(.*/\1/p' "$headers"/*.h | sort >"$folder/header"
test "$(cat "$headers"/*.h | grep -c '^STEMMA_API')" = "$(wc -l <"$folder/header")" || {
    echo "$headers: a declaration that this test cannot read"
    exit 1
}
compare "the headers" "$folder/header"

# The version node itself is an absolute symbol (A).
"${NM:-nm}" -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$folder/shared"
compare "the shared library" "$folder/shared"

if [ -n "$static" ]; then
    "${NM:-nm}" -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | sort >"$folder/static"
    compare "the static library" "$folder/static"
fi
exit $failed

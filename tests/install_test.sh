#!/bin/sh
# Installs into a temporary prefix and builds the smallest consumer there in every way we promise:
# pkg-config and find_package, shared and static, C and C++.
#   install_test.sh BUILD-DIRECTORY
set -eu
build=$1
CC=${CC:-cc} CXX=${CXX:-c++}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix

cmake --install "$build" --prefix "$folder/first" >"$folder/log" || { cat "$folder/log"; exit 1; }
mv "$folder/first" "$prefix" # the tree may be moved
library=$(dirname "$(find "$prefix" -name libstemma.a)")
export PKG_CONFIG_PATH="$library/pkgconfig" LD_LIBRARY_PATH="$library"

cat >"$folder/consumer.c" <<'END'
#include <stemma.h>
#include <stdio.h>
int main(void) {
    stemma_recipe *recipe;
    stemma_comparison found;
    if (stemma_recipe_parse("window=2", &recipe, NULL) != STEMMA_OK) return 2;
    if (stemma_compare_bytes("to be or not", 12, "To be, or not!", 14, recipe, NULL, NULL, &found, NULL)) return 3;
    stemma_recipe_free(recipe);
    return puts(stemma_relation_name(found.relation)) < 0;
}
END
cp "$folder/consumer.c" "$folder/consumer.cc"

cat >"$folder/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(consumer LANGUAGES C CXX)
find_package(stemma 0.1 REQUIRED)
foreach(kind stemma static)
  add_executable(c-${kind} consumer.c)
  add_executable(cxx-${kind} consumer.cc)
  target_link_libraries(c-${kind} PRIVATE stemma::${kind})
  target_link_libraries(cxx-${kind} PRIVATE stemma::${kind})
endforeach()
END

count=0
runs() { # program: it says what it should
    said=$("$1")
    test "$said" = same-text || { echo "$1 said '$said'"; exit 1; }
    count=$((count + 1))
}
linked_to() { # program, yes or no: whether it needs the shared library
    if readelf -d "$1" | grep -q 'libstemma\.so\.0'; then needs=yes; else needs=no; fi
    test $needs = "$2" || { echo "$1 needs libstemma.so.0: $needs, expected $2"; exit 1; }
}

cd "$folder"
strict="-Wall -Wextra -Werror -pedantic"
flags=$(pkg-config --cflags stemma)
$CC -std=c11 $strict $flags consumer.c -o c-pc $(pkg-config --libs stemma)
$CXX -std=c++17 $strict $flags consumer.cc -o cxx-pc $(pkg-config --libs stemma)
# The archive, with the shared libraries of others: not every distribution has archives of all of them.
$CC $flags consumer.c -o c-pc-static $(pkg-config --static --libs stemma | sed 's/-lstemma/-l:libstemma.a/')
for program in c-pc cxx-pc; do runs ./$program; linked_to $program yes; done
runs ./c-pc-static
linked_to c-pc-static no

cmake -G Ninja -S . -B cmake-build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
    >log 2>&1 && cmake --build cmake-build >>log 2>&1 || { cat log; exit 1; }
for language in c cxx; do
    runs cmake-build/$language-stemma
    linked_to cmake-build/$language-stemma yes
    runs cmake-build/$language-static
    linked_to cmake-build/$language-static no
done

if [ -e "$build/stemma" ]; then
    "$prefix/bin/stemma" --version >/dev/null
    for file in bash-completion/completions/stemma zsh/site-functions/_stemma fish/vendor_completions.d/stemma.fish \
        man/man1/stemma.1; do
        test -s "$prefix/share/$file" || { echo "not installed: $file"; exit 1; }
    done
fi

# Each header can be included alone, and stemma.h has them all.
for header in "$prefix"/include/stemma/*.h; do
    name=stemma/$(basename "$header")
    for language in c c++; do
        echo "#include <$name>" | "$CC" -x "$language" -Wall -Werror -I "$prefix/include" -fsyntax-only - || exit 1
    done
    grep -qx "#include \"$name\"" "$prefix/include/stemma.h" || { echo "stemma.h lacks $name"; exit 1; }
done
test "$(ls "$prefix/include")" = "$(printf 'stemma\nstemma.h')" || { echo "other headers, too"; exit 1; }
echo "$count consumers built and run"

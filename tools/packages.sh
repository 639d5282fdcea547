# Sourced by quickstart and check: what has to be installed, and installing it when it is missing.

BUILD_PACKAGES=(cmake ninja-build gcc libc6-dev pkg-config python3 libsodium-dev libutf8proc-dev libmd4c-dev
                libarchive-dev libexpat1-dev libseccomp-dev libzstd-dev liblzma-dev zlib1g-dev libbrotli-dev
                poppler-utils libjson-c-dev)
TEST_PACKAGES=(g++ libcmocka-dev libsimde-dev valgrind mandoc clang-19 libclang-rt-19-dev btrfs-progs)
# The page of scan --report, and a browser to look at it.
BUILD_PACKAGES+=(nodejs npm)
TEST_PACKAGES+=(chromium)
# Other programs, which the lab holds against ours.
TEST_PACKAGES+=(ssdeep tlsh-tools simhash)

say() { printf '\n==> %s\n' "$*"; }

# By what a package gives rather than by its name: software that came another way counts too.
have() {
    case $1 in
    ninja-build) command -v ninja ;;
    libc6-dev) [[ -e /usr/include/stdio.h ]] ;;
    libsodium-dev) pkg-config --exists libsodium ;;
    libutf8proc-dev) pkg-config --exists libutf8proc ;;
    libmd4c-dev) pkg-config --exists md4c ;;
    libarchive-dev) pkg-config --exists libarchive ;;
    libexpat1-dev) pkg-config --exists expat ;;
    libseccomp-dev) pkg-config --exists libseccomp ;;
    libzstd-dev) pkg-config --exists libzstd ;;
    liblzma-dev) pkg-config --exists liblzma ;;
    libbrotli-dev) pkg-config --exists libbrotlidec ;;
    poppler-utils) command -v pdftotext ;;
    zlib1g-dev) pkg-config --exists zlib ;;
    nodejs) command -v node ;;
    libjson-c-dev) pkg-config --exists json-c ;;
    libcmocka-dev) pkg-config --exists cmocka ;;
    libsimde-dev) [[ -e /usr/include/simde/x86/avx512.h ]] ;;
    libclang-rt-19-dev) compgen -G '/usr/lib/llvm-19/lib/clang/*/lib/linux/libclang_rt.fuzzer*' ;;
    tlsh-tools) command -v tlsh ;;
    btrfs-progs) [[ -x /sbin/mkfs.btrfs ]] ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

install_missing() {
    local package missing=() become=()
    for package in "$@"; do have "$package" || missing+=("$package"); done
    ((${#missing[@]})) || return 0
    say "Installing what is missing: ${missing[*]}"
    if ! command -v apt-get >/dev/null; then
        echo "This is not a Debian system: please install the equivalents, then run this again." >&2
        exit 3
    fi
    if ((EUID != 0)); then
        command -v sudo >/dev/null || {
            echo "Root is needed once: apt-get install ${missing[*]}" >&2
            exit 3
        }
        become=(sudo)
    fi
    "${become[@]}" apt-get update -q
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}"
}

# Configured anew each time: libraries may have been installed since. Whoever gets npm here gets the page, too.
build_preset() {
    cmake --preset "$1" -DSTEMMA_REPORT=ON >/dev/null
    cmake --build --preset "$1" -- --quiet
}

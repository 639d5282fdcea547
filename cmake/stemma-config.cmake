# find_package(stemma): stemma::stemma is the shared library, stemma::static the archive.
# Only the archive needs libsodium, utf8proc, md4c, libarchive, expat and libseccomp to link against; without them the shared library still works.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(SODIUM QUIET IMPORTED_TARGET libsodium)
  pkg_check_modules(UTF8PROC QUIET IMPORTED_TARGET libutf8proc)
  pkg_check_modules(MD4C QUIET IMPORTED_TARGET md4c)
  pkg_check_modules(ARCHIVE QUIET IMPORTED_TARGET libarchive)
  pkg_check_modules(EXPAT QUIET IMPORTED_TARGET expat)
  pkg_check_modules(SECCOMP QUIET IMPORTED_TARGET libseccomp)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/stemma-targets.cmake)

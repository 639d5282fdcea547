# For the fingers: the build is CMake's (CMakePresets.json).
PREFIX ?= /usr/local
PRESET ?= release

all: build/$(PRESET)/build.ninja
	cmake --build --preset $(PRESET)

build/$(PRESET)/build.ninja:
	cmake --preset $(PRESET)

test: all
	ctest --preset $(PRESET)

install: all
	cmake --install build/$(PRESET) --prefix $(PREFIX)

.PHONY: all test install

# Forwards every target to the build tree, which it makes on first use: `make ch3_transpose`,
# `make ch3_transpose_naive`, `make help`. WORKBOOK_BACKEND=simulator or =cuda chooses; the default
# is the GPU where there is one. `make clean` removes the build tree.

BUILD := build
WORKBOOK_BACKEND ?= auto
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory

.PHONY: all test clean help whole_tree
.DEFAULT_GOAL := all

# Every chapter's programs.
all: whole_tree
	@cmake --build $(BUILD) --parallel $(JOBS) --target programs

test:
	@./workbook test

# The targets that one types, by chapter.
help:
	@python3 -S common/cli targets

clean:
	@rm -rf $(BUILD)

# ./workbook makes a tree of the chapters that it needs.
whole_tree: $(BUILD)/Makefile
	@! grep -q '^WORKBOOK_CHAPTERS:.*=.' $(BUILD)/CMakeCache.txt || cmake -S . -B $(BUILD) -DWORKBOOK_CHAPTERS=

$(BUILD)/Makefile:
	@command -v cmake > /dev/null || { echo "make: cmake is missing. './workbook doctor' lists what is needed." >&2; exit 3; }
	@cmake -S . -B $(BUILD) -G "Unix Makefiles" -DWORKBOOK_BACKEND=$(WORKBOOK_BACKEND)

# What is no target gets the nearest names instead of make's "No rule".
%: whole_tree
	@$(MAKE) --no-print-directory -C $(BUILD) cmake_check_build_system
	@if cmake --build $(BUILD) --target help | grep -x '\.\.\. $@\( (.*)\)\?' > /dev/null; then \
	  cmake --build $(BUILD) --parallel $(JOBS) --target $@; \
	else \
	  python3 common/cli nearest $@; \
	fi

Makefile: ;

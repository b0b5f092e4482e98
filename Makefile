# Builds any target of any chapter, in build/, which is created on first use: `make ch3_transpose`,
# `make ch3_transpose_naive`. `make help` lists the targets. WORKBOOK_BACKEND=simulator or =cuda selects
# the backend; the default is the GPU if there is one. JOBS=4 limits the number of parallel compilers.

WORKBOOK := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(if $(JOBS),CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS)) ./workbook

.PHONY: all test clean help
.DEFAULT_GOAL := all

# Every chapter's programs.
all:
	@$(WORKBOOK) make programs

test:
	@$(WORKBOOK) test

help:
	@$(WORKBOOK) targets

clean:
	@rm -rf build

%:
	@$(WORKBOOK) make $@

Makefile: ;

#pragma once

#include "common/harness/options.h"
#include "harness/host_points.h"

#include <istream>
#include <string>

// The vectors of a CSV file: one line per vector, one number per component, commas between them.
//
// A number is decimal, with or without a point and an exponent: 5, -0.25, +1.5e-3. It becomes the
// nearest float. Blanks and tabs around it are ignored, whatever the locale. A first line of names
// is skipped: each begins with a letter, '_' or a quotation mark. Lines end in LF or CR LF, which
// the last one can lack; a UTF-8 byte order mark is skipped, and so are empty lines at the end.
//
// Everything else throws UsageError, as "FILE:LINE:COLUMN: the problem": a field that is empty,
// text, NaN, infinite, or outside a float's range; a row whose length differs from the first; an
// empty line between others; a byte that is not text; no vector at all; sizes that distances.h
// rules out; a file that cannot be read. Columns count bytes, from 1.
HostPoints read_csv_file(const std::string& path);

// The same, from a stream; messages call it `name`.
HostPoints read_csv(std::istream& in, const std::string& name);

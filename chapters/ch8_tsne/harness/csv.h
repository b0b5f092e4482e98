#pragma once

#include "common/harness/options.h"
#include "harness/host_points.h"

#include <istream>
#include <string>

// The vectors of a CSV file: a line a vector, a number a component, commas between them.
//
// A number is decimal, with a point and an exponent or without: 5, -0.25, +1.5e-3. It becomes the
// nearest float. Blanks and tabs around it are ignored, whatever the locale. A first line of names
// is skipped: each begins with a letter, '_' or a quotation mark. Lines end in LF or CR LF, the
// last one may lack it; a UTF-8 byte order mark is skipped, and so are empty lines at the end.
//
// Throws UsageError, as "FILE:LINE:COLUMN: what is wrong", for all else: a field that is empty,
// text, NaN, infinite, or outside of a float's range; a row that is not as long as the first; an
// empty line between others; a byte that is no text; no vector at all; sizes that distances.h rules
// out; a file that cannot be read. Columns count bytes, from 1.
HostPoints read_csv_file(const std::string& path);

// The same, from a stream; messages call it `name`.
HostPoints read_csv(std::istream& in, const std::string& name);

#pragma once

#include "common/harness/gpu_timer.h"
#include "common/harness/program.h"

#include <optional>
#include <string>
#include <vector>

// The measurement of a program, and its output.

// The time of a run, and its work: the bytes to be transferred, or the arithmetic operations.
struct TimedWork {
  Timing timing;
  double work;
};

// The unit of a rate: its name for a reader and for the CSV table, and its value per unit of work
// per millisecond.
struct RateUnit {
  const char *text, *column;
  double scale;
};
constexpr RateUnit kGbPerS{"GB/s", "gb_per_s", 1e-6};
constexpr RateUnit kTflopPerS{"TFLOP/s", "tflop_per_s", 1e-9};

double rate(const TimedWork& timed, const RateUnit& unit);

// The measurement that the program is compared with; both were timed alternately.
struct Ceiling {
  const char *text, *column;  // "plain copy", "copy"
  TimedWork timed;
};

// An option that the measurement depends on, without its dashes, and its value.
struct SizeColumn {
  std::string column, value;
};

// The errors of a program's results, for programs with a choice of accuracy.
struct MeasuredErrors {
  double max_error, rms_error;
};

struct Measurement {
  std::string what;               // "16384 x 8192 floats"
  std::vector<SizeColumn> sizes;  // as in bench_sizes.csv
  TimedWork own;
  Ceiling ceiling;
  RateUnit unit = kGbPerS;
  std::vector<std::string> notes = {};  // lines for a reader, not in the CSV table
  std::optional<MeasuredErrors> accuracy = std::nullopt;
  std::vector<SizeColumn> choices = {};  // other options, such as the data
};

// Prints a table: a header, unless an earlier call printed it, and a row.
void print_csv(const Program& program, const Measurement& measured, bool with_header = true);

// Prints lines for a reader or, with --csv, a table of a header and a row (docs/measuring.md).
void print_measurement(const Program& program, const Measurement& measured);

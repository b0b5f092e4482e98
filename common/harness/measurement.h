#pragma once

#include "common/harness/format.h"
#include "common/harness/gpu_timer.h"
#include "common/harness/program.h"

#include <cstdio>
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

inline double rate(const TimedWork& timed, const RateUnit& unit) {
  return timed.work / timed.timing.median_ms * unit.scale;
}

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
inline void print_csv(const Program& program, const Measurement& measured,
                      bool with_header = true) {
  const auto& [what, sizes, own, ceiling, unit, notes, accuracy, choices] = measured;
  std::string header = "program", row = program.name;
  for (const SizeColumn& size : sizes) {
    header += "," + size.column;
    row += "," + size.value;
  }
  const auto add = [&, &unit = unit](const std::string& prefix, const TimedWork& timed) {
    for (const char* column : {"median_ms", "min_ms", "max_ms", unit.column}) {
      header += "," + prefix + column;
    }
    row += format(",%.5f,%.5f,%.5f,%.5g", timed.timing.median_ms, timed.timing.min_ms,
                  timed.timing.max_ms, rate(timed, unit));
  };
  add("", own);
  add(std::string(ceiling.column) + "_", ceiling.timed);
  header += format(",ratio_to_%s", ceiling.column);
  row += format(",%.4f", rate(own, unit) / rate(ceiling.timed, unit));
  if (accuracy) {
    header += ",max_error,rms_error";
    row += format(",%.3g,%.3g", accuracy->max_error, accuracy->rms_error);
  }
  for (const SizeColumn& choice : choices) {
    header += "," + choice.column;
    row += "," + choice.value;
  }
  header += ",sm_clock_mhz,device,driver,cuda";
  row += "," + (own.timing.sm_clock_mhz > 0 ? std::to_string(own.timing.sm_clock_mhz) : "");
  row += format(",%s,%s,%s", program.device.name.c_str(), program.device.driver.c_str(),
                program.device.cuda.c_str());
  if (with_header) std::printf("%s\n", header.c_str());
  std::printf("%s\n", row.c_str());
}

// Prints lines for a reader or, with --csv, a table of a header and a row (docs/measuring.md).
inline void print_measurement(const Program& program, const Measurement& measured) {
  if (program.prints_csv) return print_csv(program, measured);
  const auto& [what, sizes, own, ceiling, unit, notes, accuracy, choices] = measured;
  const double own_rate = rate(own, unit), ceiling_rate = rate(ceiling.timed, unit);
  std::printf("%s: %s on %s\n", program.name.c_str(), what.c_str(), program.device.name.c_str());
  std::printf("  %-12s %9.4f ms  %7.1f %s\n", "this program", own.timing.median_ms, own_rate,
              unit.text);
  std::printf("  %-12s %9.4f ms  %7.1f %s   the program reaches %.1f %% of it\n", ceiling.text,
              ceiling.timed.timing.median_ms, ceiling_rate, unit.text,
              100 * own_rate / ceiling_rate);
  if (own.timing.sm_clock_mhz > 0) {
    std::printf("  %-12s %9d MHz\n", "SM clock", own.timing.sm_clock_mhz);
  }
  for (const std::string& note : notes) std::printf("  %s\n", note.c_str());
}

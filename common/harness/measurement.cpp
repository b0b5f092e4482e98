#include "common/harness/measurement.h"

#include "common/harness/format.h"

#include <cstdio>

double rate(const TimedWork& timed, const RateUnit& unit) {
  return timed.work / timed.timing.median_ms * unit.scale;
}

void print_csv(const Program& program, const Measurement& measured, bool with_header) {
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

void print_measurement(const Program& program, const Measurement& measured) {
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

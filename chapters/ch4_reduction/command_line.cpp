#include "command_line.h"

#include "reduction.h"

#include "common/options.h"

#include <cstdio>
#include <exception>
#include <new>

namespace {

constexpr const char* kUsage =
    "Options: --size N  how many doubles\n"
    "         --check   check the result, measure no time\n"
    "         --csv     print the measurement as a CSV table";

Arguments parse(const std::string& program, int argc, const char* const* argv) {
  Options options(argc, argv);
  const auto size = options.integer("--size", 1, static_cast<long long>(kMaxSize));
  Arguments arguments{program, std::nullopt, options.flag("--check"), options.flag("--csv")};
  if (size) arguments.size = static_cast<std::size_t>(*size);
  options.finish(kUsage);
  return arguments;
}

}  // namespace

bool Arguments::timed(const DeviceInfo& device) const {
  const bool timed = !check_only && !device.simulated;
  if (csv && !timed) {
    throw UsageError("--csv asks for a time, and there is none without a GPU or with --check.");
  }
  return timed;
}

int run_with_arguments(int argc, const char* const* argv,
                       const std::function<void(const Arguments&)>& run) {
  const std::string path = argv[0], program = path.substr(path.rfind('/') + 1);
  try {
    run(parse(program, argc, argv));
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "%s: the host's memory does not hold that many doubles; take a smaller "
                 "--size.\n",
                 program.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
  }
  return 1;
}

void require_memory(std::size_t size, int arrays, const DeviceInfo& device) {
  // In floating point, where no size overflows.
  const double needed_bytes =
      static_cast<double>(size) * sizeof(double) * arrays + static_cast<double>(kWorkspaceBytes);
  const double free_bytes = static_cast<double>(device.free_bytes);
  if (needed_bytes <= free_bytes) return;
  const double fitting =
      (free_bytes - static_cast<double>(kWorkspaceBytes)) / (sizeof(double) * arrays);
  char message[256];
  std::snprintf(message, sizeof message,
                "%zu doubles need %.2f GB of device memory%s; %.2f GB are free. The largest --size "
                "that fits is about %.0f.",
                size, needed_bytes * 1e-9, arrays > 1 ? ", in and out" : "", free_bytes * 1e-9,
                fitting > 0 ? fitting : 0.0);
  throw UsageError(message);
}

void print(const Measurement& measurement, const Arguments& arguments, const DeviceInfo& device) {
  const auto& [size, bytes, own, probe] = measurement;
  const double gb_per_s = 1e-6 * bytes / own.median_ms;
  const double probe_gb_per_s = 1e-6 * static_cast<double>(size) * sizeof(double) / probe.median_ms;
  if (arguments.csv) {
    std::printf(
        "program,size,median_ms,min_ms,max_ms,gb_per_s,read_probe_median_ms,read_probe_min_ms,"
        "read_probe_max_ms,read_probe_gb_per_s,ratio_to_read_probe,device,driver,cuda\n");
    std::printf("%s,%zu,%.5f,%.5f,%.5f,%.1f,%.5f,%.5f,%.5f,%.1f,%.4f,%s,%s,%s\n",
                arguments.program.c_str(), size, own.median_ms, own.min_ms, own.max_ms, gb_per_s,
                probe.median_ms, probe.min_ms, probe.max_ms, probe_gb_per_s,
                gb_per_s / probe_gb_per_s, device.name.c_str(), device.driver.c_str(),
                device.cuda.c_str());
    return;
  }
  std::printf("%s: %zu doubles on %s\n", arguments.program.c_str(), size, device.name.c_str());
  std::printf("  this program %9.4f ms  %7.1f GB/s\n", own.median_ms, gb_per_s);
  std::printf("  read probe   %9.4f ms  %7.1f GB/s   the program reaches %.1f %% of it\n",
              probe.median_ms, probe_gb_per_s, 100 * gb_per_s / probe_gb_per_s);
}

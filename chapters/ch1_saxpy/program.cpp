#include "program.h"

#include "saxpy.h"

#include "common/cuda_check.h"
#include "common/device_info.h"
#include "common/options.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

constexpr const char* kUsage =
    "Options: --n N        elements of each array\n"
    "         --threads T  threads of a block; libraries and the CPU choose for themselves\n"
    "         --check      check the result, measure no time\n"
    "         --csv        print the measurement as a CSV table";

constexpr int kTimedSize = 100000000;  // 400 MB an array, 6 times the L2 cache of an H200

struct Arguments {
  std::optional<int> n, threads;
  bool check_only, csv;
};

std::optional<int> to_int(std::optional<long long> value) {
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

Arguments parse(int argc, const char* const* argv) {
  Options options(argc, argv);
  const Arguments arguments{to_int(options.integer("--n", 1, kMaxSize)),
                            to_int(options.integer("--threads", 1, kMaxSize)),
                            options.flag("--check"), options.flag("--csv")};
  options.finish(kUsage);
  return arguments;
}

// Throws UsageError if `arrays` of n elements do not fit into `bytes` of the named memory.
void require_room(int n, int arrays, double bytes, const char* memory) {
  const double bytes_per_element = 4.0 * arrays;
  if (n * bytes_per_element <= bytes) return;
  char message[256];
  std::snprintf(message, sizeof message,
                "%d arrays of %d elements need %.2f GB of %s memory; there are %.2f GB. "
                "The largest --n that fits is about %.0f.",
                arrays, n, n * bytes_per_element * 1e-9, memory, bytes * 1e-9,
                bytes / bytes_per_element);
  throw UsageError(message);
}

void require_memory(int n, const Arrays& arrays, const DeviceInfo& device) {
  const double host_bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  require_room(n, arrays.on_device, static_cast<double>(device.free_bytes), "device");
  // The simulator keeps the device's arrays in the host's memory.
  const int on_host = arrays.on_host + (device.simulated ? arrays.on_device : 0);
  require_room(n, on_host, host_bytes, "host");
}

double gb_per_s(double bytes, const Timing& timing) {
  return bytes * 1e-9 / (timing.median_ms * 1e-3);
}

void print(const std::string& program, int n, const Measurement& measured, const DeviceInfo& device,
           bool csv) {
  const Timing &own = measured.own, &copy = measured.copy;
  const double own_rate = gb_per_s(measured.own_bytes, own);
  const double copy_rate = gb_per_s(measured.copy_bytes, copy);
  if (csv) {
    std::printf(
        "program,n,median_ms,min_ms,max_ms,gb_per_s,copy_median_ms,copy_min_ms,copy_max_ms,"
        "copy_gb_per_s,ratio_to_copy,device,driver,cuda\n");
    std::printf("%s,%d,%.5f,%.5f,%.5f,%.1f,%.5f,%.5f,%.5f,%.1f,%.4f,%s,%s,%s\n", program.c_str(), n,
                own.median_ms, own.min_ms, own.max_ms, own_rate, copy.median_ms, copy.min_ms,
                copy.max_ms, copy_rate, own_rate / copy_rate, device.name.c_str(),
                device.driver.c_str(), device.cuda.c_str());
    return;
  }
  std::printf("%s: %d floats an array on %s\n", program.c_str(), n, device.name.c_str());
  std::printf("  this program %10.4f ms  %7.1f GB/s\n", own.median_ms, own_rate);
  std::printf("  plain copy   %10.4f ms  %7.1f GB/s   the program reaches %.1f %% of it\n",
              copy.median_ms, copy_rate, 100 * own_rate / copy_rate);
  for (const std::string& note : measured.notes) std::printf("  %s\n", note.c_str());
}

void run_or_throw(const Operation& operation, const std::string& program,
                  const Arguments& arguments) {
  const DeviceInfo device = require_device();
  const bool timed = operation.measure && !arguments.check_only && !device.simulated;
  if (arguments.csv && !timed) {
    throw UsageError(
        "--csv asks for a time. There is none without a GPU, with --check, or of an exercise on "
        "an operation of its own.");
  }
  const int threads = arguments.threads.value_or(operation.threads);

  // A timed run checks its own result too, so the size to time need not be checked before.
  const int checked_n = timed ? operation.checked_n : arguments.n.value_or(operation.checked_n);
  require_memory(checked_n, operation.checked, device);
  operation.check(checked_n, threads);
  if (!arguments.csv) {
    std::printf("%s: %d elements, all right\n", program.c_str(), checked_n);
  }
  if (timed) {
    const int n = arguments.n.value_or(kTimedSize);
    require_memory(n, operation.measured, device);
    print(program, n, operation.measure(n, threads), device, arguments.csv);
  }
}

// What to do about a launch that was refused for its block size; else empty.
std::string advice(const CudaError& error, const std::optional<int>& threads) {
  int most = 0;
  if (!threads || cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0) != cudaSuccess) {
    return "";
  }
  const bool refused =
      error.code() == cudaErrorInvalidValue || error.code() == cudaErrorInvalidConfiguration;
  if (!refused || *threads <= most) return "";
  return "\nA block has at most " + std::to_string(most) + " threads; --threads asks for " +
         std::to_string(*threads) + ".";
}

}  // namespace

void queue_copy(float* d_to, const float* d_from, std::size_t bytes) {
  CUDA_CHECK(cudaMemcpyAsync(d_to, d_from, bytes, cudaMemcpyDeviceToDevice));
}

int run_program(const Operation& operation, int argc, const char* const* argv) {
  const std::string path = argv[0], program = path.substr(path.rfind('/') + 1);
  Arguments arguments{};
  try {
    arguments = parse(argc, argv);
    run_or_throw(operation, program, arguments);
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    return 2;
  } catch (const CudaError& error) {
    std::fprintf(stderr, "%s: %s%s\n", program.c_str(), error.what(),
                 advice(error, arguments.threads).c_str());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "%s: the host has too little memory for these arrays; try a smaller --n.\n",
                 program.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
  }
  return 1;
}

#include "harness/command_line.h"

#include "reduction.h"

#include <string>

int run_with_size(int argc, const char* const* argv,
                  const std::function<void(const Program&, std::optional<std::size_t>)>& run) {
  const auto parse = [](Options& options) -> std::optional<std::size_t> {
    const auto size = options.integer("--size", 1, static_cast<long long>(kMaxSize));
    return size ? std::optional(static_cast<std::size_t>(*size)) : std::nullopt;
  };
  return program_main(argc, argv, {{"--size N", "how many doubles"}}, parse, run);
}

void require_memory_for(std::size_t size, int arrays, const DeviceInfo& device) {
  // In floating point, where no size overflows.
  const double bytes = static_cast<double>(size) * sizeof(double) * arrays;
  require_memory(device, {bytes + static_cast<double>(kWorkspaceBytes), 2 * bytes},
                 format("%zu doubles%s", size, arrays > 1 ? ", in and out" : ""),
                 [&](double share) {
                   return format("The largest --size that fits is about %.0f.",
                                 static_cast<double>(size) * share);
                 });
}

Measurement measurement(std::size_t size, const TimedWork& own, const Timing& probe) {
  const std::string count = std::to_string(size);
  const double probe_bytes = static_cast<double>(size) * sizeof(double);
  return {count + " doubles",
          {{"size", count}},
          own,
          {"read probe", "read_probe", {probe, probe_bytes}}};
}

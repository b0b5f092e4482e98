#include "harness/program.h"

#include "accuracy.h"
#include "harness/reference.h"
#include "vector_map.h"

#include "common/harness/compare.h"
#include "common/harness/program.h"

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>

namespace {

constexpr std::size_t kCheckedSize = 100003;   // a prime: no block and no vector divides it
constexpr std::size_t kTimedSize = 100000000;  // 400 MB an array, 6 times an H200's L2 cache

const std::vector<OptionHelp> kOptions{{"--n N", "elements of each array"}};

std::optional<std::size_t> parse(Options& options) {
  const auto n = options.integer("--n", 1, static_cast<long long>(kMaxSize));
  return n ? std::optional(static_cast<std::size_t>(*n)) : std::nullopt;
}

// Throws UsageError if the arrays do not fit.
void require_memory_for(std::size_t n, const Operation& operation, const DeviceInfo& device) {
  const double array_bytes = static_cast<double>(n) * static_cast<double>(operation.element_bytes);
  require_memory(device, {2 * array_bytes, operation.arrays_on_host * array_bytes},
                 format("arrays of %zu elements", n), [&](double share) {
                   return format("The largest --n that fits is about %.0f.",
                                 static_cast<double>(n) * share);
                 });
}

}  // namespace

int run_program(const Operation& operation, int argc, const char* const* argv) {
  return program_main(
      argc, argv, kOptions, parse, [&](const Program& program, std::optional<std::size_t> asked) {
        const bool timed = program.is_timed && operation.measure;
        if (program.prints_csv && !timed) {
          throw UsageError("--csv asks for a time beside a copy, and this exercise has none.");
        }
        // A timed run checks its own result too, so the size to time need not be checked before.
        const std::size_t checked = timed ? kCheckedSize : asked.value_or(kCheckedSize);
        require_memory_for(checked, operation, program.device);
        operation.check(checked);
        if (!program.prints_csv) {
          std::printf("%s: %zu elements, all right\n", program.name.c_str(), checked);
        }
        if (timed) {
          const std::size_t n = asked.value_or(kTimedSize);
          require_memory_for(n, operation, program.device);
          print_measurement(program, operation.measure(n));
        }
      });
}

template <typename T>
void require_right(const T* h_y, const T* h_x, std::size_t n) {
  const auto mismatch = find_map_mismatch(h_y, h_x, n, accuracy());
  if (!mismatch) return;
  throw std::runtime_error("WRONG: " + map_mismatch_text(*mismatch, h_y, h_x, n, accuracy()));
}

template <typename T>
void require_unchanged(const std::vector<T>& h_x_after, const std::vector<T>& h_x) {
  if (find_mismatch(h_x_after, h_x)) throw std::runtime_error("WRONG: x has changed.");
}

Measurement beside_copy(std::size_t n, std::size_t element_bytes, const Timing& own,
                        const Timing& copy, std::vector<std::string> notes) {
  const double bytes = 2.0 * static_cast<double>(n) * static_cast<double>(element_bytes);
  return {format("%zu elements of %zu bytes", n, element_bytes),
          {{"n", std::to_string(n)}},
          {own, bytes},
          {"plain copy", "copy", {copy, bytes}},
          kGbPerS,
          std::move(notes)};
}

template void require_right(const float*, const float*, std::size_t);
template void require_right(const double*, const double*, std::size_t);
template void require_unchanged(const std::vector<float>&, const std::vector<float>&);
template void require_unchanged(const std::vector<double>&, const std::vector<double>&);

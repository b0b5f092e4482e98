#include "harness/problem.h"

#include "reduction.h"

#include "common/harness/compare.h"
#include "common/harness/normal_doubles.h"
#include "common/harness/read_probe.h"

#include <stdexcept>

std::vector<OptionHelp> SizeOption::options() { return {{"--size N", "how many doubles"}}; }

std::optional<std::size_t> SizeOption::parse(Options& options) {
  return options.integer<std::size_t>("--size", 1, static_cast<long long>(kMaxSize));
}

Sizes<std::size_t> SizeOption::sizes(const Asked& asked, bool is_timed) {
  constexpr std::size_t kToCheck = 1'000'003;   // a prime: no block, tile or vector divides it
  constexpr std::size_t kToTime = 100'000'000;  // 13 times the L2 cache of an H200
  return sizes_of(asked, kToCheck, kToTime, is_timed);
}

MemoryNeed arrays_of(std::size_t size, int arrays) {
  // In floating point, so no size overflows.
  const double bytes = static_cast<double>(size) * sizeof(double) * arrays;
  return {format("%zu doubles%s", size, arrays > 1 ? ", in and out" : ""),
          bytes + static_cast<double>(kWorkspaceBytes), 2 * bytes,
          largest_that_fits("--size", static_cast<double>(size))};
}

Measurement beside_probe(std::size_t size, const TimedWork& own, const Timing& probe) {
  const std::string count = std::to_string(size);
  const double probe_bytes = static_cast<double>(size) * sizeof(double);
  return {count + " doubles",
          {{"size", count}},
          own,
          {"read probe", "read_probe", {probe, probe_bytes}}};
}

ReductionProblem::ReductionProblem(const Operation& operation, std::size_t size, std::uint64_t seed)
    : operation_(operation),
      h_in_(normal_doubles(size, seed)),
      expected_(operation.reference(h_in_)),
      tolerance_(operation.tolerance(size)),
      d_in_(h_in_),
      d_out_(expected_.size()),
      d_workspace_(kWorkspaceBytes) {
  d_out_.fill_bytes(0xff);
  d_workspace_.fill_bytes(0);
}

void ReductionProblem::run() {
  operation_.run(d_in_.data(), d_out_.data(), h_in_.size(), d_workspace_.data(), nullptr);
}

// A single output is printed to the last bit, because the chapter asks whether the next run gives
// the same bits.
std::string ReductionProblem::check() {
  const std::vector<double> h_out = d_out_.to_host();
  if (const auto mismatch = find_mismatch(h_out, expected_, tolerance_)) {
    throw std::runtime_error(format("WRONG for %zu doubles, by more than %.2g: %s", h_in_.size(),
                                    tolerance_,
                                    mismatch_text(*mismatch, "out", h_out, expected_).c_str()));
  }
  if (find_mismatch(d_in_.to_host(), h_in_)) {
    throw std::runtime_error("WRONG: the kernel changed its input.");
  }
  std::string right = format("%zu doubles, ", h_in_.size());
  right += h_out.empty() ? "only read"
                         : format("equal to the CPU's result to within %.2g of it", tolerance_);
  if (h_out.size() == 1) right += format("\n  result %.17g = %a", h_out[0], h_out[0]);
  return right;
}

Timings ReductionProblem::time() {
  return time_beside([&] { read_probe(d_in_.data(), h_in_.size(), d_workspace_.data()); },
                     [&] { run(); });
}

Measurement ReductionProblem::measurement(const Timings& timings) const {
  // Each input is read once, each output written once.
  const auto bytes = static_cast<double>(d_in_.size_bytes() + d_out_.size_bytes());
  return beside_probe(h_in_.size(), {timings.own, bytes}, timings.ceiling);
}

#include "harness/problem.h"

#include "dot_product.h"

#include "common/cuda_check.h"
#include "common/harness/compare.h"
#include "common/harness/read_probe.h"

#include <stdexcept>

namespace {

std::string text_of(std::size_t size) { return format("two vectors of %zu doubles", size); }

}  // namespace

void Expected::check(double actual, const std::string& what) const {
  if (!find_mismatch<double>({actual}, {value}, 0, tolerance)) return;
  throw std::runtime_error(format("WRONG for %s: expected %.17g, at most %.2g off; got %s.",
                                  what.c_str(), value, tolerance, printed(actual, 17).c_str()));
}

DeviceVectors::DeviceVectors(const HostVector& a, const HostVector& b)
    : size_(a.size()), both_(b_offset(size_) + size_), unused_(sizeof(unsigned)) {
  both_.fill_bytes(0);  // the probe also reads the gap between the vectors
  const std::size_t bytes = size_ * sizeof(double);
  double* const d_b = both_.data() + b_offset(size_);
  CUDA_CHECK(cudaMemcpy(both_.data(), a.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
}

void DeviceVectors::queue_probe() { read_probe(both_.data(), both_.size(), unused_.data()); }

std::vector<OptionHelp> VectorsProblem::options() { return {{"--size N", "doubles per vector"}}; }

std::optional<std::size_t> VectorsProblem::parse(Options& options) {
  return options.integer<std::size_t>("--size", 1, static_cast<long long>(kMaxSize));
}

Sizes<std::size_t> VectorsProblem::sizes(const Asked& asked, bool is_timed) {
  constexpr std::size_t kToCheck = 1'000'003;   // a prime: no block, tile or pair divides it
  constexpr std::size_t kToTime = 100'000'000;  // a vector is 13 times the L2 cache of an H200
  return sizes_of(asked, kToCheck, kToTime, is_timed);
}

MemoryNeed VectorsProblem::memory_need(std::size_t size, bool) {
  // In floating point, where no size overflows.
  const double bytes = 2 * static_cast<double>(size) * sizeof(double);
  return {text_of(size), bytes + static_cast<double>(kWorkspaceBytes), bytes,
          largest_that_fits("--size", static_cast<double>(size))};
}

VectorsProblem::VectorsProblem(std::size_t size, std::uint64_t seed, unsigned threads)
    : h_a_(size, seed, threads), h_b_(size, seed + 1, threads), text_(text_of(size)) {}

Measurement VectorsProblem::measurement(const Timings& timings) const {
  const double bytes = 2 * static_cast<double>(h_a_.size()) * sizeof(double);
  return {text_,
          {{"size", std::to_string(h_a_.size())}},
          {timings.own, bytes},
          {"read probe", "read_probe", {timings.ceiling, bytes}}};
}

DotProblem::DotProblem(const Operation& operation, std::size_t size, std::uint64_t seed)
    : VectorsProblem(size, seed, cpu_cores()),
      operation_(operation),
      expected_(operation.expected(h_a_.data(), h_b_.data(), size)),
      d_vectors_(h_a_, h_b_),
      d_out_(1),
      d_workspace_(kWorkspaceBytes) {
  d_out_.fill_bytes(0xff);
  d_workspace_.fill_bytes(0);
}

void DotProblem::run() {
  operation_.run(d_vectors_.a(), d_vectors_.b(), d_out_.data(), h_a_.size(), d_workspace_.data(),
                 nullptr);
}

// The result is printed to the last bit: whether that bit is the same in the next run is one of the
// chapter's questions.
std::string DotProblem::check() {
  const double result = d_out_.to_host().front();
  expected_.check(result, text_);
  return format("%s, within %.2g of the CPU's result\n  result %.17g = %a", text_.c_str(),
                expected_.tolerance, result, result);
}

Timings DotProblem::time() {
  return time_beside([&] { d_vectors_.queue_probe(); }, [&] { run(); });
}

#include "harness/program.h"

#include "dot_product.h"

#include "common/ceil_div.h"
#include "common/harness/compare.h"
#include "common/harness/cpu_baseline.h"
#include "common/cuda_check.h"
#include "common/harness/random.h"
#include "common/harness/read_probe.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kPieceSize = 65536;  // doubles that come of one seed

// An operation's data: random vectors, a result that is NaN until it is written, and a workspace
// that is zeroed once.
class Data {
 public:
  Data(const Operation& operation, std::size_t size, std::uint64_t seed)
      : h_a_(size, seed, cpu_cores()),
        h_b_(size, seed + 1, cpu_cores()),
        expected_(operation.expected(h_a_.data(), h_b_.data(), size)),
        d_vectors_(h_a_, h_b_),
        d_out_(1),
        d_workspace_(kWorkspaceBytes) {
    d_out_.fill_bytes(0xff);
    d_workspace_.fill_bytes(0);
  }

  void run(const Operation& operation) {
    operation.run(d_vectors_.a(), d_vectors_.b(), d_out_.data(), d_vectors_.size(),
                  d_workspace_.data(), nullptr);
  }
  void run_probe() { d_vectors_.run_probe(); }

  // Throws std::runtime_error if the result is wrong. Returns it.
  double check() const {
    const double result = d_out_.to_host().front();
    expected_.check(result, format("two vectors of %zu doubles", h_a_.size()));
    return result;
  }
  const Expected& expected() const { return expected_; }

 private:
  HostVector h_a_, h_b_;
  Expected expected_;
  DeviceVectors d_vectors_;
  DeviceBuffer<double> d_out_;
  DeviceBuffer<char> d_workspace_;
};

// Runs the operation once and checks it. The result is shown to the last bit: whether that is the
// same in the next run is one of the chapter's questions.
void run_and_check(const Operation& operation, std::size_t size, const Program& program) {
  Data data(operation, size, /*seed=*/1);
  data.run(operation);
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
  const double result = data.check();
  if (program.prints_csv) return;
  std::printf("%s: two vectors of %zu doubles, within %.2g of the CPU's result\n",
              program.name.c_str(), size, data.expected().tolerance);
  std::printf("  result %.17g = %a\n", result, result);
}

// The operation and the read probe, in turn. Checks the result of the timed runs.
Measurement time_beside_probe(const Operation& operation, std::size_t size) {
  Data data(operation, size, /*seed=*/3);
  const std::vector<Timing> timings =
      time_interleaved({[&] { data.run(operation); }, [&] { data.run_probe(); }});
  data.check();
  return measurement(size, timings[0], timings[1]);
}

}  // namespace

void Expected::check(double actual, const std::string& what) const {
  if (!find_mismatch<double>({actual}, {value}, 0, tolerance)) return;
  throw std::runtime_error(format("WRONG for %s: expected %.17g, at most %.2g off; got %.17g.",
                                  what.c_str(), value, tolerance, actual));
}

HostVector::HostVector(std::size_t size, std::uint64_t seed, unsigned threads)
    : values_(new double[size]), size_(size) {
  const std::size_t pieces = ceil_div(size, kPieceSize);
  for_each_chunk(pieces, threads, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t piece = first; piece < last; ++piece) {
      const std::size_t begin = piece * kPieceSize;
      const std::vector<double> random =
          random_doubles(std::min(kPieceSize, size - begin), (seed << 32) + piece);
      std::copy(random.begin(), random.end(), values_.get() + begin);
    }
  });
}

DeviceVectors::DeviceVectors(const HostVector& a, const HostVector& b)
    : size_(a.size()), both_(b_offset(size_) + size_), unused_(sizeof(unsigned)) {
  both_.fill_bytes(0);  // what lies between the vectors is read too
  const std::size_t bytes = size_ * sizeof(double);
  double* const d_b = both_.data() + b_offset(size_);
  CUDA_CHECK(cudaMemcpy(both_.data(), a.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
}

void DeviceVectors::run_probe() { read_probe(both_.data(), both_.size(), unused_.data()); }

Timing DeviceVectors::time_probe() {
  return time_interleaved({[&] { run_probe(); }})[0];
}

int run_with_size(int argc, const char* const* argv, std::size_t most, const char* meaning,
                  const std::function<void(const Program&, std::optional<std::size_t>)>& run) {
  const auto parse = [&](Options& options) -> std::optional<std::size_t> {
    const auto size = options.integer("--size", 1, static_cast<long long>(most));
    return size ? std::optional(static_cast<std::size_t>(*size)) : std::nullopt;
  };
  return program_main(argc, argv, {{"--size N", meaning}}, parse, run);
}

void require_memory_for(std::size_t size, const DeviceInfo& device) {
  // In floating point, where no size overflows.
  const double bytes = 2 * static_cast<double>(size) * sizeof(double);
  require_memory(device, {bytes + static_cast<double>(kWorkspaceBytes), bytes},
                 format("two vectors of %zu doubles", size), [&](double share) {
                   return format("The largest --size that fits is about %.0f.",
                                 static_cast<double>(size) * share);
                 });
}

Measurement measurement(std::size_t size, const Timing& own, const Timing& probe) {
  const std::string count = std::to_string(size);
  const double bytes = 2 * static_cast<double>(size) * sizeof(double);
  return {"two vectors of " + count + " doubles",
          {{"size", count}},
          {own, bytes},
          {"read probe", "read_probe", {probe, bytes}}};
}

int run_program(const Operation& operation, int argc, const char* const* argv) {
  const auto run = [&](const Program& program, std::optional<std::size_t> asked) {
    // A timed run checks its own result too, so the size to time need not be checked before.
    const std::size_t checked = program.is_timed ? kCheckSize : asked.value_or(kCheckSize);
    require_memory_for(checked, program.device);
    run_and_check(operation, checked, program);
    if (program.is_timed) {
      const std::size_t size = asked.value_or(kTimedSize);
      require_memory_for(size, program.device);
      print_measurement(program, time_beside_probe(operation, size));
    }
  };
  return run_with_size(argc, argv, kMaxSize, "how many doubles a vector", run);
}

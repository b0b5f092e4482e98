#include "baselines/saxpy_on.h"
#include "harness/problem.h"
#include "harness/reference.h"

#include "common/device_buffer.h"
#include "common/harness/compare.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/plain_copy.h"
#include "common/harness/random.h"

#include <memory>
#include <stdexcept>
#include <type_traits>

namespace {

struct BackendSize {
  ArraySize arrays;
  int bits;
  Backend backend;
};

const char* name_of(Backend backend) { return backend == Backend::cpu ? "cpu" : "gpu"; }

template <typename T>
std::vector<T> random_elements(int n, std::uint64_t seed) {
  if constexpr (std::is_same_v<T, float>) {
    return random_floats(n, seed);
  } else {
    return random_doubles(n, seed);
  }
}

template <typename T>
class SaxpyOnBackend final : public TimedProblem {
 public:
  SaxpyOnBackend(const BackendSize& size, std::uint64_t seed)
      : size_(size),
        h_x_(random_elements<T>(size.arrays.n, seed)),
        h_y_(random_elements<T>(size.arrays.n, seed + 1)),
        h_result_(h_y_),
        d_x_(h_x_),
        d_y_(h_y_) {}

  void run() override {
    const auto [n, threads] = size_.arrays;
    if (is_on_gpu()) {
      launch_with(threads, [&, n = n, threads = threads] {
        saxpy_on(Backend::gpu, kA, d_x_.data(), d_y_.data(), n, threads);
      });
    } else {
      saxpy_on(Backend::cpu, kA, h_x_.data(), h_result_.data(), n, threads);
    }
  }

  std::string check() override {
    if (find_saxpy_mismatch(is_on_gpu() ? d_y_.to_host() : h_result_, kA, h_x_, h_y_)) {
      throw std::runtime_error("WRONG: not a x + y.");
    }
    return format("%d elements of %d bits on the %s, all right", size_.arrays.n, size_.bits,
                  name_of(size_.backend));
  }

  // y is restored to its old values before each run; on the GPU the copy does that.
  Timings time() override {
    const DeviceBuffer<T> d_old_y(h_y_);
    const auto copy = [&] { queue_copy(d_y_.data(), d_old_y.data(), d_old_y.size_bytes()); };
    if (is_on_gpu()) return time_beside(copy, [&] { run(); });
    return time_on_cpu_beside(
        copy, [&] { run(); }, [&] { h_result_ = h_y_; });
  }

  Measurement measurement(const Timings& timings) const override {
    const double bytes = static_cast<double>(d_y_.size_bytes());
    Measurement measured =
        beside_copy(size_.arrays.n, {timings.own, 3 * bytes}, {timings.ceiling, 2 * bytes});
    measured.what = format("%d elements of %d bits per array, on the %s", size_.arrays.n,
                           size_.bits, name_of(size_.backend));
    measured.choices = {{"bits", std::to_string(size_.bits)},
                        {"backend", name_of(size_.backend)},
                        {"threads", std::to_string(size_.arrays.threads)}};
    return measured;
  }

 private:
  static constexpr T kA = T(-1.7);

  bool is_on_gpu() const { return size_.backend == Backend::gpu; }

  BackendSize size_;
  std::vector<T> h_x_, h_y_, h_result_;
  DeviceBuffer<T> d_x_, d_y_;
};

class AnySaxpyOn final : public TimedProblem {
 public:
  struct Asked {
    ArrayOptions::Asked arrays;
    int bits;
    Backend backend;
  };
  static std::vector<OptionHelp> options() {
    std::vector<OptionHelp> all = ArrayOptions::options();
    all.push_back({"--bits B", "32 for floats, which is the default; 64 for doubles"});
    all.push_back({"--backend NAME", "gpu, which is the default, or cpu: one core"});
    return all;
  }
  static Asked parse(Options& options) {
    const ArrayOptions::Asked arrays = ArrayOptions::parse(options);
    const int bits = options.integer<int>("--bits", 32, 64).value_or(32);
    if (bits != 32 && bits != 64) throw UsageError(format("--bits is 32 or 64, not %d.", bits));
    const std::string backend = options.text("--backend", "gpu or cpu").value_or("gpu");
    if (backend != "gpu" && backend != "cpu") {
      throw UsageError(format("--backend takes gpu or cpu, not '%s'.", backend.c_str()));
    }
    return {arrays, bits, backend == "cpu" ? Backend::cpu : Backend::gpu};
  }
  static Sizes<BackendSize> sizes(const Asked& asked, bool is_timed) {
    const auto [checked, timed] = ArrayOptions::sizes(asked.arrays, is_timed);
    return {{checked, asked.bits, asked.backend}, {timed, asked.bits, asked.backend}};
  }
  static MemoryNeed memory_need(const BackendSize& size, bool is_timed) {
    const int words = size.bits / 32;
    return arrays_of(size.arrays.n, /*on_device=*/(is_timed ? 3 : 2) * words,
                     /*on_host=*/4 * words);
  }

  AnySaxpyOn(const BackendSize& size, std::uint64_t seed) {
    if (size.bits == 32) {
      typed_ = std::make_unique<SaxpyOnBackend<float>>(size, seed);
    } else {
      typed_ = std::make_unique<SaxpyOnBackend<double>>(size, seed);
    }
  }
  void run() override { typed_->run(); }
  std::string check() override { return typed_->check(); }
  Timings time() override { return typed_->time(); }
  Measurement measurement(const Timings& timings) const override {
    return typed_->measurement(timings);
  }

 private:
  std::unique_ptr<TimedProblem> typed_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<AnySaxpyOn>(argc, argv); }

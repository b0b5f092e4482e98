#include "all_reduce/all_reduce.h"
#include "harness/all_reduce_reference.h"
#include "harness/peer_copies.h"
#include "harness/problem.h"

#include "common/harness/random.h"

#include <algorithm>
#include <stdexcept>

namespace {

constexpr std::size_t kMostFloats = std::size_t{1} << 38;

// An all-reduce. The ceiling is a peer copy of as many bytes as a ring sends over each link.
class AllReduce final : public TimedProblem {
 public:
  using Asked = OnGpus<std::optional<std::size_t>>;
  using Size = OnGpus<std::size_t>;
  static std::vector<OptionHelp> options() {
    return {{"--size N", "how many floats per array"}, kGpusHelp};
  }
  static Asked parse(Options& options) {
    const auto size =
        options.integer<std::size_t>("--size", 1, static_cast<long long>(kMostFloats));
    return {size, parse_gpus(options)};
  }
  static Sizes<Size> sizes(const Asked& asked, bool is_timed) {
    constexpr std::size_t kToCheck = 1'000'003;            // a prime: no number of GPUs divides it
    constexpr std::size_t kToTime = std::size_t{1} << 28;  // 1 GiB
    return sizes_on_gpus<std::size_t>(asked, kToCheck, kToTime, is_timed);
  }
  static MemoryNeed memory_need(const Size& size, bool) {
    const double bytes = 4.0 * static_cast<double>(size.size);
    return {format("two arrays of %zu floats per GPU", size.size), 2 * bytes,
            2.0 * *size.gpus * bytes, largest_that_fits("--size", static_cast<double>(size.size))};
  }

  AllReduce(const Size& size, std::uint64_t seed) : size_(size.size), group_(*size.gpus) {
    for (std::size_t g = 0; g < group_.size(); ++g) {
      h_in_.push_back(random_floats(size_, seed + g));
      CUDA_CHECK(cudaSetDevice(group_.gpus()[g].device));
      buffers_in_.emplace_back(h_in_[g]);
      buffers_out_.emplace_back(size_);
      buffers_out_[g].fill_bytes(0xff);
      workspaces_.emplace_back(kAllReduceWorkspaceBytes);
      workspaces_[g].fill_bytes(0);
      d_in_.push_back(buffers_in_[g].data());
      d_out_.push_back(buffers_out_[g].data());
      d_workspaces_.push_back(workspaces_[g].data());
    }
  }

  void run() override {
    all_reduce(group_.gpus(), d_in_, d_out_, size_, d_workspaces_);
    group_.wait();
  }

  std::string check() override {
    std::vector<std::vector<float>> h_out;
    for (const DeviceBuffer<float>& out : buffers_out_) h_out.push_back(out.to_host());
    const std::string wrong = wrong_all_reduce(h_in_, h_out);
    if (!wrong.empty()) throw std::runtime_error("WRONG for " + text() + ": " + wrong);
    return text() + ", the same sums on all GPUs";
  }

  Timings time() override {
    const auto copy = [&] {
      queue_peer_copies(group_.gpus(), d_in_, d_out_, bytes_a_half(), halves());
    };
    const auto own = [&] { all_reduce(group_.gpus(), d_in_, d_out_, size_, d_workspaces_); };
    const std::vector<Timing> timings = time_on_gpus(group_.gpus(), {copy, own});
    return {timings[1], timings[0]};
  }

  Measurement measurement(const Timings& timings) const override {
    const double bytes = static_cast<double>(bytes_a_half()) * halves();
    return {text(),
            {{"size", std::to_string(size_)}, {"gpus", std::to_string(group_.size())}},
            {timings.own, bytes},
            {"peer copy", "peer_copy", {timings.ceiling, bytes}}};
  }

 private:
  // A ring sends every chunk except one twice; a single GPU copies the whole array once.
  int halves() const { return group_.size() == 1 ? 1 : 2; }
  std::size_t bytes_a_half() const {
    const std::size_t gpus = group_.size(), chunk = (size_ + gpus - 1) / gpus;
    return (gpus == 1 ? size_ : std::min((gpus - 1) * chunk, size_)) * sizeof(float);
  }
  std::string text() const {
    return format("arrays of %zu floats on %s", size_, group_.text().c_str());
  }

  std::size_t size_;
  const GpuGroup group_;
  std::vector<std::vector<float>> h_in_;
  std::vector<DeviceBuffer<float>> buffers_in_, buffers_out_;
  std::vector<DeviceBuffer<char>> workspaces_;
  std::vector<const float*> d_in_;
  std::vector<float*> d_out_;
  std::vector<void*> d_workspaces_;
};

}  // namespace

int main(int argc, char** argv) {
  simulate_four_gpus();
  return run_program<AllReduce>(argc, argv);
}

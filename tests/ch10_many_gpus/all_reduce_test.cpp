#include "chapters/ch10_many_gpus/all_reduce/all_reduce.h"
#include "chapters/ch10_many_gpus/harness/all_reduce_reference.h"

#include "common/harness/random.h"
#include "tests/ch10_many_gpus/on_gpus.h"
#include "tests/support/launch_errors.h"

#include <cmath>
#include <memory>
#include <tuple>

namespace {

using Floats = std::vector<float>;

// Arrays on some GPUs, and the workspaces, which an all-reduce keeps from call to call.
class Arrays {
 public:
  Arrays(int gpus, std::size_t size) : size_(size), group_(gpus) {
    for (const Gpu& gpu : group_.gpus()) {
      h_in_.push_back(random_floats(size, /*seed=*/size + gpu.device));
      in_.push_back(std::make_unique<GuardedOn<float>>(gpu, h_in_.back()));
      out_.push_back(std::make_unique<GuardedOn<float>>(gpu, Floats(size, NAN)));
      workspaces_.push_back(
          made_on(gpu, [] { return DeviceBuffer<char>(kAllReduceWorkspaceBytes); }));
      workspaces_.back().fill_bytes(0);
      d_in.push_back(in_.back()->data());
      d_out.push_back(out_.back()->data());
      d_workspaces_.push_back(workspaces_.back().data());
    }
  }

  void reduce() {
    make_last_gpu_current();
    all_reduce(group_.gpus(), d_in, d_out, size_, d_workspaces_);
  }

  // Queues, in each GPU's stream, zeros into its array and NaN into its result.
  void queue_zeros() {
    for (std::size_t g = 0; g < group_.size(); ++g) {
      const Gpu& gpu = group_.gpus()[g];
      CUDA_CHECK(cudaSetDevice(gpu.device));
      CUDA_CHECK(
          cudaMemsetAsync(const_cast<float*>(d_in[g]), 0, size_ * sizeof(float), gpu.stream));
      CUDA_CHECK(cudaMemsetAsync(d_out[g], 0xff, size_ * sizeof(float), gpu.stream));
      h_in_[g].assign(size_, 0);
    }
  }

  // A description of the first error; empty if there is none.
  std::string wrong_sums() {
    std::vector<Floats> h_out;
    for (std::size_t g = 0; g < group_.size(); ++g) {
      CUDA_CHECK(cudaStreamSynchronize(group_.gpus()[g].stream));
      h_out.push_back(out_[g]->to_host());
    }
    return wrong_all_reduce(h_in_, h_out);
  }
  void expect_sums() {
    expect_no_error_left();
    const std::string wrong = wrong_sums();
    if (!wrong.empty()) ADD_FAILURE() << wrong;
    for (std::size_t g = 0; g < group_.size(); ++g) {
      out_[g]->expect_intact_guards("a result");
      EXPECT_EQ(in_[g]->to_host(), h_in_[g]) << "the array of GPU " << g << " has changed";
    }
    group_.wait();
  }

  const GpuGroup& group() const { return group_; }
  std::vector<const float*> d_in;
  std::vector<float*> d_out;

 private:
  std::size_t size_;
  GpuGroup group_;
  std::vector<Floats> h_in_;
  std::vector<std::unique_ptr<GuardedOn<float>>> in_, out_;
  std::vector<DeviceBuffer<char>> workspaces_;
  std::vector<void*> d_workspaces_;
};

class AllReduce : public OnGpusTest,
                  public testing::WithParamInterface<std::tuple<int, std::size_t>> {};

TEST_P(AllReduce, GivesAllTheSameSums) {
  const auto [gpus, size] = GetParam();
  if (gpus > gpus_there()) GTEST_SKIP() << "there are fewer GPUs";
  Arrays arrays(gpus, size);
  arrays.reduce();
  arrays.expect_sums();
}

// None; fewer than GPUs, as many, one more; a vector and a block, and one more or less; primes.
INSTANTIATE_TEST_SUITE_P(Sizes, AllReduce,
                         testing::Combine(testing::Values(1, 2, 3, 4),
                                          testing::Values(0, 1, 2, 3, 4, 5, 127, 511, 512, 2049,
                                                          10007)),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) + "_gpus_size_" +
                                  std::to_string(std::get<1>(info.param));
                         });

class AllReduceOnAll : public OnGpusTest {};

// Several calls, between which the host does not wait.
TEST_F(AllReduceOnAll, CanBeCalledAgainAtOnce) {
  Arrays arrays(std::min(gpus_there(), 4), 4099);
  for (int call = 0; call < 4; ++call) arrays.reduce();
  arrays.expect_sums();
}

// A chunk has more floats than a thousand blocks of 512 threads, so a kernel with a limited number
// of blocks needs a loop.
TEST_F(AllReduceOnAll, GivesTheSumsOfLongArrays) {
  Arrays arrays(std::min(gpus_there(), 2), (std::size_t{1} << 20) + 129);
  arrays.reduce();
  arrays.expect_sums();
}

// Work that is queued before the call can still use the arrays.
TEST_F(AllReduceOnAll, WaitsForItsArrays) {
  Arrays arrays(std::min(gpus_there(), 4), 4099);
  arrays.queue_zeros();
  arrays.reduce();
  arrays.expect_sums();
}

// Work that is queued after the call can change the arrays, because the call no longer reads them.
TEST_F(AllReduceOnAll, LaterWorkCanChangeItsInput) {
  Arrays arrays(std::min(gpus_there(), 4), 4099);
  arrays.reduce();
  for (const Gpu& gpu : arrays.group().gpus()) {
    CUDA_CHECK(cudaSetDevice(gpu.device));
    auto* const d_in = const_cast<float*>(arrays.d_in[static_cast<std::size_t>(gpu.device)]);
    CUDA_CHECK(cudaMemsetAsync(d_in, 0xff, 4099 * sizeof(float), gpu.stream));
    auto* const d_out = arrays.d_out[static_cast<std::size_t>(gpu.device)];
    CUDA_CHECK(cudaMemsetAsync(d_out, 0xff, 4099 * sizeof(float), gpu.stream));
  }
  arrays.group().wait();
}

// With one GPU, or with a library, there may be no launch.
TEST_F(AllReduceOnAll, ReportsALaunchThatFails) {
  test_error_handling();
  Arrays arrays(std::min(gpus_there(), 4), 4099);
  if (!fail_next_launch()) GTEST_SKIP() << "only the simulator can make any launch fail";
  bool is_reported = false;
  try {
    arrays.reduce();
  } catch (const CudaError&) {
    is_reported = true;
    take_device_findings();  // the simulator reports a refused launch
  }
  fail_launch(0);
  EXPECT_TRUE(is_reported || take_launches().count == 0) << "the error was not checked";
  expect_no_error_left();
}

TEST_F(AllReduceOnAll, WithoutPeersGivesTheSumsOrNamesAnotherStage) {
  if (gpus_there() < 2) GTEST_SKIP() << "there are fewer GPUs";
  expect_right_or_needs_peers([] {
    Arrays arrays(2, 5);
    arrays.reduce();
    return arrays.wrong_sums();
  });
}

TEST(AllReduceReference, DescribesTheFirstError) {
  const std::vector<Floats> in{{1, 2}, {3, 4}};
  EXPECT_EQ(wrong_all_reduce(in, {{4, 6}, {4, 6}}), "");
  EXPECT_NE(wrong_all_reduce(in, {{4, 6}, {4, 7}}), "");
  EXPECT_NE(wrong_all_reduce(in, {{4, NAN}, {4, NAN}}), "");
  const float next = std::nextafter(6.0f, 7.0f);
  EXPECT_EQ(wrong_all_reduce(in, {{4, 6}, {4, next}}),
            "element 1 is 6 on GPU 0 and 6.00000048 on GPU 1.");
}

}  // namespace

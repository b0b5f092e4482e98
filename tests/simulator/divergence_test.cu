#include "common/device_buffer.h"
#include "program/branch_position.h"
#include "tests/simulator/expect_counts.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

// The lanes of a warp that access memory together after the warp has diverged: what hardware_counts
// does not compare with a GPU's counts, such as the line of a branch, and which counts are exact.

namespace {

using cuda_simulator::AccessCounts;
using cuda_simulator::BasicBlockCounts;
using cuda_simulator::KernelTracer;

class Divergence : public DeviceTest {
 protected:
  void SetUp() override { d_in_.fill_bytes(0); }

  DeviceBuffer<float> d_in_{4096}, d_out_{4096};
};

// Expects these requests and lanes of a line's accesses, and this value of `approximate`.
void expect_requests(int line, std::uint64_t requests, std::uint64_t lanes,
                     bool approximate = false) {
  const AccessCounts counts = on_line(line);
  EXPECT_EQ(counts.requests, requests) << "line " << line;
  EXPECT_EQ(counts.lanes, lanes) << "line " << line;
  EXPECT_EQ(counts.approximate, approximate) << "line " << line;
}

__global__ void unequal_loops_kernel(const float* in, float* out) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < lane; ++i) sum += in[i];
  sum += in[lane];
  out[lane] = sum;
}
constexpr int kUnequalLine = __LINE__ - 4;

TEST_F(Divergence, LoopsOfUnequalLengthAreApproximate) {
  unequal_loops_kernel<<<1, 32>>>(d_in_.data(), d_out_.data());
  expect_requests(kUnequalLine, 31, 31 * 16, true);
  expect_requests(kUnequalLine + 1, 1, 32);
}

// One column per thread: all lanes run for more steps than are recorded at once.
__global__ void long_loop_kernel(const float* in, float* out, int turns) {
  float sum = 0;
  for (int i = 0; i < turns; ++i) {
    if (static_cast<int>(threadIdx.x) % 3 != i % 3) sum += in[(32 * i + threadIdx.x) % 4096];
  }
  out[threadIdx.x] = sum;
}
constexpr int kLongLoopLine = __LINE__ - 4;

TEST_F(Divergence, LongPathsOfDivergedLanes) {
  long_loop_kernel<<<1, 30>>>(d_in_.data(), d_out_.data(), 2000);
  expect_requests(kLongLoopLine, 2000, 2000 * 20);
}

// ---- Branches in the report ----

BasicBlockCounts branch_counts(const char* kernel) {
  BasicBlockCounts total;
  for (const auto& counts : KernelTracer::get().kernels()) {
    if (counts->name != kernel) continue;
    counts->for_each_basic_block([&](std::uintptr_t, const BasicBlockCounts& block) {
      if (block.divergences == 0) return;
      total.executions += block.executions;
      total.lanes += block.lanes;
      total.divergences += block.divergences;
    });
  }
  return total;
}

__global__ void counted_branch_kernel(float* out, int n) {
  const int thread = threadIdx.x;
  if (thread < n) out[thread] = 1;
  out[thread + 64] = 2;
}

TEST_F(Divergence, CountsHowOftenLanesDiverge) {
  counted_branch_kernel<<<1, 64>>>(d_out_.data(), 40);  // the second warp diverges
  const BasicBlockCounts branch = branch_counts("counted_branch_kernel");
  EXPECT_EQ(branch.executions, 2u);
  EXPECT_EQ(branch.lanes, 64u);
  EXPECT_EQ(branch.divergences, 1u);
}

// The line of the branch at which a kernel's lanes diverged; 0 if they did not.
int branch_line(const char* kernel) {
  int line = 0;
  for (const auto& counts : KernelTracer::get().kernels()) {
    if (counts->name != kernel) continue;
    counts->for_each_basic_block([&](std::uintptr_t code, const BasicBlockCounts& block) {
      if (block.divergences > 0) line = cuda_simulator::branch_position(code, block.next_code).line;
    });
  }
  return line;
}

__device__ __attribute__((noinline)) int thread_number() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// Its code is between the function and the next kernel, and is not related to either.
__global__ void between_kernel(float* out) {
  if (thread_number() % 2 == 0) return;
  out[thread_number()] = 1;
}

template <bool kAtomic>
__global__ void branch_after_call_kernel(const float* in, float* out) {
  if (in[thread_number()] != 0.0f) return;
  if (kAtomic) {
    atomicExch(out, 1.0f);
  } else {
    *out = 1;
  }
}
constexpr int kBranchAfterCallLine = __LINE__ - 7;

// The basic block that ends at the branch starts in the called function.
TEST_F(Divergence, ABranchAfterACallIsFoundInItsOwnFunction) {
  const float one = 1;
  CUDA_CHECK(cudaMemcpy(d_in_.data(), &one, sizeof one, cudaMemcpyHostToDevice));
  between_kernel<<<1, 32>>>(d_out_.data());
  branch_after_call_kernel<false><<<1, 2>>>(d_in_.data(), d_out_.data());
  EXPECT_EQ(branch_line("branch_after_call_kernel<false>"), kBranchAfterCallLine);
}

__device__ __attribute__((noinline)) int factorial(int n) {
  return n <= 1 ? 1 : n * factorial(n - 1);
}

__global__ void recursive_kernel(const int* in, int* out) {
  const int lane = threadIdx.x;
  const int result = factorial(lane % 7 + 1);
  out[lane] = result;
  out[lane + 32] = result + in[lane];
}
constexpr int kRecursiveLine = __LINE__ - 3;

// The lanes return after one to seven calls, and wait for each other in the kernel.
TEST_F(Divergence, LanesOfUnequalDepthMeetWhereTheCallReturns) {
  DeviceBuffer<int> d_in(std::vector<int>(32)), d_out(64);
  recursive_kernel<<<1, 32>>>(d_in.data(), d_out.data());
  expect_requests(kRecursiveLine, 1, 32);
  expect_requests(kRecursiveLine + 1, 2, 64);
  std::vector<int> out(64);
  CUDA_CHECK(cudaMemcpy(out.data(), d_out.data(), 64 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQ(out[6], 5040);
  EXPECT_EQ(out[39], 1);
}

__device__ __attribute__((noinline)) int sum_down(int n, int* sums) {
  const int sum = n == 0 ? 0 : n + sum_down(n - 1, sums);
  sums[8 * threadIdx.x + n] = sum;
  return sum;
}
constexpr int kOnTheWayUpLine = __LINE__ - 3;

__global__ void on_the_way_up_kernel(int* out) {
  const int lane = threadIdx.x;
  out[lane] = sum_down(lane % 4, out + 32);
}
constexpr int kBehindTheSumsLine = __LINE__ - 2;

// nvcc chooses which depths run together; after the call it has no choice.
TEST_F(Divergence, AccessesWithinARecursionAreApproximate) {
  DeviceBuffer<int> d_out(32 + 8 * 32);
  on_the_way_up_kernel<<<1, 32>>>(d_out.data());
  const AccessCounts on_the_way = on_line(kOnTheWayUpLine);
  EXPECT_EQ(on_the_way.lanes, 8u * (1 + 2 + 3 + 4));
  EXPECT_TRUE(on_the_way.approximate);
  expect_requests(kBehindTheSumsLine, 1, 32);
}

__global__ void branch_behind_a_return_kernel(const int* in, int* out) {
  const int lane = threadIdx.x;
  const int result = factorial(lane % 3 + 1);
  if (in[lane] + result > 1) out[lane] = result;
  out[lane + 32] = result;
}
constexpr int kBehindAReturnLine = __LINE__ - 3;

TEST_F(Divergence, LanesDivergeAndMeetAfterAReturn) {
  DeviceBuffer<int> d_in(std::vector<int>(32)), d_out(64);
  branch_behind_a_return_kernel<<<1, 32>>>(d_in.data(), d_out.data());
  expect_requests(kBehindAReturnLine, 2, 32 + 21);  // a load, and a store by the lanes with 2 or 6
  expect_requests(kBehindAReturnLine + 1, 1, 32);
}

__device__ __attribute__((noinline)) int called_on(int side) {
  asm volatile("");  // keeps the calls where they are
  return side;
}

__global__ void call_on_both_sides_kernel(int* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = called_on(1);
  } else {
    out[threadIdx.x] = called_on(2);
  }
}

// They diverge at the branch, and not again when they return from the function to different lines.
TEST_F(Divergence, LanesThatCallInBothBranchesDivergeOnce) {
  DeviceBuffer<int> d_out(32);
  call_on_both_sides_kernel<<<1, 32>>>(d_out.data());
  EXPECT_EQ(branch_counts("call_on_both_sides_kernel").divergences, 1u);
}

}  // namespace

#include "common/device_buffer.h"

#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expect_findings.h"

// What can go wrong with asynchronous copies, at the learner's line; beside each wrong kernel the
// right one.

namespace {

class AsyncCopyFindings : public FindingsTest {
 protected:
  DeviceBuffer<int> d_in{std::vector<int>(1024, 1)}, d_out{1024};
};

enum class Mistake {
  none,
  no_commit,
  no_wait,
  waits_for_less,
  waits_too_late,
  no_barrier,
  reuses_at_once
};

// Copies two rows, one after the other, and turns each around.
template <Mistake kMistake>
__global__ void turn_kernel(const int* in, int* out) {
  __shared__ int row[64];
  const int i = static_cast<int>(threadIdx.x);
  for (int first = 0; first < 128; first += 64) {
    __pipeline_memcpy_async(&row[i], &in[first + i], 4);
    if (kMistake != Mistake::no_commit) __pipeline_commit();
    if (kMistake == Mistake::waits_for_less) __pipeline_wait_prior(1);
    if (kMistake == Mistake::none || kMistake == Mistake::no_barrier ||
        kMistake == Mistake::no_commit || kMistake == Mistake::reuses_at_once) {
      __pipeline_wait_prior(0);
    }
    if (kMistake != Mistake::no_barrier) __syncthreads();
    if (kMistake == Mistake::waits_too_late) __pipeline_wait_prior(0);
    out[first + i] = row[63 - i];
    if (kMistake != Mistake::reuses_at_once) __syncthreads();
  }
}
constexpr int kCopyLine = __LINE__ - 13, kWaitLine = __LINE__ - 8, kLateWaitLine = __LINE__ - 5;
constexpr int kReadLine = __LINE__ - 5;

TEST_F(AsyncCopyFindings, NoneInARightKernel) {
  turn_kernel<Mistake::none><<<1, 64>>>(d_in.data(), d_out.data());
  expect_nothing_found();
}

TEST_F(AsyncCopyFindings, NoWait) {
  turn_kernel<Mistake::no_wait><<<1, 64>>>(d_in.data(), d_out.data());
  const Finding finding = expect_one_place(
      "uninitialised",
      "row in shared memory is used while an asynchronous copy to it is on its way", kReadLine,
      "load");
  EXPECT_NE(finding.message.find("__pipeline_wait_prior()"), std::string::npos);
}

TEST_F(AsyncCopyFindings, NoCommit) {
  turn_kernel<Mistake::no_commit><<<1, 64>>>(d_in.data(), d_out.data());
  expect_one_place("uninitialised", "while an asynchronous copy to it is on its way", kReadLine,
                   "load");
}

TEST_F(AsyncCopyFindings, WaitForTheBatchBefore) {
  turn_kernel<Mistake::waits_for_less><<<1, 64>>>(d_in.data(), d_out.data());
  expect_one_place("uninitialised", "while an asynchronous copy to it is on its way", kReadLine,
                   "load");
}

// Each thread knows of its own copies only.
TEST_F(AsyncCopyFindings, WaitBehindTheBarrier) {
  turn_kernel<Mistake::waits_too_late><<<1, 64>>>(d_in.data(), d_out.data());
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  ASSERT_EQ(finding.places.size(), 2u);
  EXPECT_EQ(finding.places[0].line, kLateWaitLine);
  EXPECT_EQ(finding.places[1].line, kReadLine);
}

// What is found may be the race with the copy's beginning, with its end, or both.
void expect_races_of_copies() {
  const std::vector<Finding> findings = take_findings();
  EXPECT_FALSE(findings.empty());
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.kind, "race");
    ASSERT_EQ(finding.places.size(), 2u);
    EXPECT_TRUE(finding.places[0].line == kCopyLine || finding.places[0].line == kWaitLine);
    EXPECT_EQ(finding.places[0].operation, "copy");
    EXPECT_EQ(finding.places[1].line, kReadLine);
    EXPECT_EQ(finding.places[1].operation, "load");
  }
}

TEST_F(AsyncCopyFindings, NoBarrierBehindTheWait) {
  turn_kernel<Mistake::no_barrier><<<1, 64>>>(d_in.data(), d_out.data());
  expect_races_of_copies();
}

TEST_F(AsyncCopyFindings, BufferUsedAgainAtOnce) {
  turn_kernel<Mistake::reuses_at_once><<<1, 64>>>(d_in.data(), d_out.data());
  expect_races_of_copies();
}

__global__ void copy_kernel(const int* in, int* out, int from, int to, std::size_t bytes,
                            std::size_t zero_bytes) {
  __shared__ __align__(16) int row[64];
  if (threadIdx.x < 64) row[threadIdx.x] = 0;
  __syncthreads();
  __pipeline_memcpy_async(&row[to], &in[from], bytes, zero_bytes);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = row[to];
}
constexpr int kOneCopyLine = __LINE__ - 5;

TEST_F(AsyncCopyFindings, PastTheEndOfTheSource) {
  copy_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 1022, 0, 8, 0);
  expect_nothing_found();
  copy_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 1024, 0, 8, 8);  // reads nothing
  expect_nothing_found();
  copy_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 1024, 0, 8, 4);
  expect_one_place("out_of_bounds", "element 1024 of an array of 1024", kOneCopyLine, "load");
}

TEST_F(AsyncCopyFindings, PastTheEndOfSharedMemory) {
  copy_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 0, 64, 16, 0);
  expect_one_place("out_of_bounds", "at byte 256 of row, a __shared__ variable of 256 bytes",
                   kOneCopyLine, "copy");
}

TEST_F(AsyncCopyFindings, MisalignedSource) {
  copy_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 1, 0, 8, 0);
  expect_one_place("misaligned", "an access of 8 bytes must be at a multiple of 8", kOneCopyLine,
                   "load");
}

TEST_F(AsyncCopyFindings, MisalignedDestination) {
  copy_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 0, 2, 16, 0);
  expect_one_place("misaligned", "this address is 8 past one", kOneCopyLine, "copy");
}

TEST_F(AsyncCopyFindings, UnwrittenSource) {
  const DeviceBuffer<int> d_unwritten(64);
  copy_kernel<<<1, 1>>>(d_unwritten.data(), d_out.data(), 0, 0, 4, 0);
  expect_one_place("uninitialised", "nothing has written it", kOneCopyLine, "load");
}

TEST_F(AsyncCopyFindings, OddSize) {
  copy_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 0, 0, 12, 0);
  expect_one_place("async_copy",
                   "called __pipeline_memcpy_async for 12 bytes; it copies 4, 8 or 16",
                   kOneCopyLine, "call");
}

TEST_F(AsyncCopyFindings, MoreZerosThanBytes) {
  copy_kernel<<<1, 1>>>(d_in.data(), d_out.data(), 0, 0, 4, 8);
  expect_one_place("async_copy", "with 8 bytes of zeros, of 4 bytes to copy", kOneCopyLine, "call");
}

__global__ void arguments_exchanged_kernel(int* out) {
  __shared__ int value;
  value = 1;
  __pipeline_memcpy_async(out, &value, 4);
}
constexpr int kExchangedLine = __LINE__ - 2;

TEST_F(AsyncCopyFindings, ArgumentsExchanged) {
  arguments_exchanged_kernel<<<1, 1>>>(d_out.data());
  expect_one_place("async_copy", "to memory that is not shared; its first argument is where to",
                   kExchangedLine, "call");
}

__global__ void local_source_kernel(int number) {
  __shared__ int value;
  int own[2] = {number, number + 1};
  __pipeline_memcpy_async(&value, &own[number], 4);
}
constexpr int kLocalSourceLine = __LINE__ - 2;

TEST_F(AsyncCopyFindings, SourceOfItsOwn) {
  local_source_kernel<<<1, 1>>>(0);
  expect_one_place("async_copy", "from a variable of its own", kLocalSourceLine, "call");
}

}  // namespace

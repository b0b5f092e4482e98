#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "expect_findings.h"

// Races in global memory: between the blocks of a launch, and within one. Each wrong kernel has a
// right one beside it that looks much like it.

namespace {

class GlobalRaces : public FindingsTest {
 protected:
  GlobalRaces() {
    d_out.fill_bytes(0);
    d_scratch.fill_bytes(0);
    d_count.fill_bytes(0);
  }
  DeviceBuffer<int> d_out{1024}, d_scratch{1024}, d_count{16};
};

// The places are in the order of the source.
Finding expect_global_race(const std::string& words, int first_line,
                           const std::string& first_operation, Index first_thread,
                           Index first_block, int second_line, const std::string& second_operation,
                           Index second_thread, Index second_block) {
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "race");
  EXPECT_NE(finding.message.find(words), std::string::npos) << finding.message;
  EXPECT_EQ(finding.places.size(), 2u);
  if (finding.places.size() == 2) {
    expect_place(finding.places[0], first_line, first_operation, first_thread, first_block);
    expect_place(finding.places[1], second_line, second_operation, second_thread, second_block);
  }
  return finding;
}

void expect_some_race() {
  const auto findings = take_findings();
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) EXPECT_EQ(finding.kind, "race") << describe(finding);
}

// ---- Too many ----

// As a beginner copies it from a CPU: each thread does all the work.
__global__ void all_by_everyone_kernel(int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = i;
}
constexpr int kAllByEveryoneLine = __LINE__ - 2;

TEST_F(GlobalRaces, SoManyThatTheRestIsNotRun) {
  all_by_everyone_kernel<<<100'000, 128>>>(d_out.data(), 1024);  // 13 thousand million stores
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  for (const Finding& finding : take_findings()) {
    EXPECT_EQ(finding.kind, "race") << describe(finding);
    EXPECT_EQ(finding.places[0].line, kAllByEveryoneLine);
  }
}

TEST_F(GlobalRaces, AMillionAndTheLaunchGoesOn) {
  all_by_everyone_kernel<<<8, 128>>>(d_out.data(), 1024);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::uint64_t count = 0;
  for (const Finding& finding : take_findings()) count += finding.count;
  EXPECT_GT(count, 900'000u);
  EXPECT_EQ(d_out.to_host()[1000], 1000);
}

// ---- Between blocks ----

__global__ void own_element_kernel(int* out, int shift) {
  if (threadIdx.x == 0) out[(static_cast<int>(blockIdx.x) * shift) % 1024] = 7;
}
constexpr int kOwnElementLine = __LINE__ - 2;

TEST_F(GlobalRaces, TwoBlocksStoreOneElement) {
  own_element_kernel<<<8, 32>>>(d_out.data(), 1);
  expect_nothing_found();
  own_element_kernel<<<3, 32>>>(d_out.data(), 512);
  const Finding finding = expect_global_race(
      "race on element 0 of 1024 of an allocation of 4096 bytes in global memory: two blocks of "
      "one launch",
      kOwnElementLine, "store", {0, 0, 0}, {0, 0, 0}, kOwnElementLine, "store", {0, 0, 0},
      {2, 0, 0});
  EXPECT_NE(finding.message.find("even if both write the same value"), std::string::npos);
}

TEST_F(GlobalRaces, TwoLaunchesAreInOrder) {
  own_element_kernel<<<1, 32>>>(d_out.data(), 0);
  own_element_kernel<<<1, 32>>>(d_out.data(), 0);
  expect_nothing_found();
}

template <bool kAtomic>
__global__ void histogram_kernel(const int* in, int* bins) {
  int* const bin = &bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 16];
  if (kAtomic) {
    atomicAdd(bin, 1);
  } else {
    *bin += 1;
  }
}

TEST_F(GlobalRaces, HistogramNeedsAtomics) {
  histogram_kernel<true><<<4, 64>>>(d_scratch.data(), d_count.data());
  expect_nothing_found();
  histogram_kernel<false><<<4, 64>>>(d_scratch.data(), d_count.data());
  expect_some_race();
  histogram_kernel<false><<<4, 1>>>(d_scratch.data(), d_count.data());
  const auto findings = take_findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_NE(findings[0].message.find("two blocks of one launch"), std::string::npos);
}

__global__ void atomic_and_plain_kernel(int* sum, unsigned plain_block) {
  if (blockIdx.x == plain_block) {
    *sum = 0;
  } else {
    atomicAdd(sum, 1);
  }
}
constexpr int kPlainResetLine = __LINE__ - 5, kAtomicSumLine = __LINE__ - 3;

TEST_F(GlobalRaces, PlainStoreAgainstAtomic) {
  atomic_and_plain_kernel<<<4, 1>>>(d_count.data(), 9);
  expect_nothing_found();
  atomic_and_plain_kernel<<<2, 1>>>(d_count.data(), 0);
  const Finding reset =
      expect_global_race("the store may come after it and undo it", kPlainResetLine, "store",
                         {0, 0, 0}, {0, 0, 0}, kAtomicSumLine, "atomic", {0, 0, 0}, {1, 0, 0});
  EXPECT_EQ(facts_of(reset),
            "finding=race access=store thread=0 block=0 access=atomic thread=0 block=1 "
            "between=blocks memory=global");
  atomic_and_plain_kernel<<<2, 1>>>(d_count.data(), 1);
  EXPECT_EQ(only_finding().kind, "race");
}

template <typename T>
__global__ void element_of_each_block_kernel(T* out) {
  out[blockIdx.x] = static_cast<T>(blockIdx.x);
}

TEST_F(GlobalRaces, NeighboursInAWordOfTwoBlocksAreNone) {
  DeviceBuffer<char> d_bytes(64);
  DeviceBuffer<short> d_shorts(64);
  element_of_each_block_kernel<<<64, 1>>>(d_bytes.data());
  element_of_each_block_kernel<<<64, 1>>>(d_shorts.data());
  expect_nothing_found();
}

__global__ void bytes_kernel(char* out) { out[threadIdx.x] = 1; }

TEST_F(GlobalRaces, SameBytesOfTwoBlocks) {
  DeviceBuffer<char> d_bytes(64);
  bytes_kernel<<<1, 64>>>(d_bytes.data());
  expect_nothing_found();
  bytes_kernel<<<2, 64>>>(d_bytes.data());
  EXPECT_EQ(only_finding().count, 16u);  // once for each word
}

__global__ void stencil_kernel(const int* in, int* out, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int left = i > 0 ? in[i - 1] : 0, right = i + 1 < size ? in[i + 1] : 0;
  out[i] = left + right;
}

TEST_F(GlobalRaces, StencilInPlace) {
  stencil_kernel<<<4, 64>>>(d_scratch.data(), d_out.data(), 256);
  stencil_kernel<<<4, 64>>>(d_out.data(), d_scratch.data(), 256);
  expect_nothing_found();
  stencil_kernel<<<4, 64>>>(d_out.data(), d_out.data(), 256);
  expect_some_race();
  stencil_kernel<<<64, 1>>>(d_out.data(), d_out.data(), 64);
  expect_some_race();
}

__global__ void read_all_write_own_kernel(const int* in, int* out) {
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += in[i];
  out[blockIdx.x] = sum;
}

TEST_F(GlobalRaces, LoadOfAnEarlierBlock) {  // block 0 has read what block 1 writes
  read_all_write_own_kernel<<<2, 1>>>(d_scratch.data(), d_out.data());
  expect_nothing_found();
  read_all_write_own_kernel<<<2, 1>>>(d_out.data(), d_out.data());
  expect_some_race();
}

__device__ int totals[4];
__global__ void totals_kernel(int spread) { totals[static_cast<int>(blockIdx.x) * spread] = 1; }

TEST_F(GlobalRaces, InADeviceVariable) {
  totals_kernel<<<4, 1>>>(1);
  expect_nothing_found();
  totals_kernel<<<2, 1>>>(0);
  int h_totals[4];
  CUDA_CHECK(cudaMemcpyFromSymbol(h_totals, totals, sizeof h_totals));  // or g++ drops the array
  EXPECT_NE(only_finding().message.find("race on element 0 of 4 of totals in global memory"),
            std::string::npos);
}

__global__ void poll_kernel(volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    *flag = 1;
  } else if (*flag == 1) {
    out[0] = 1;
  }
}
constexpr int kFlagStoreLine = __LINE__ - 5, kFlagLoadLine = __LINE__ - 4;

TEST_F(GlobalRaces, VolatileFlagIsStillARace) {
  poll_kernel<<<2, 1>>>(d_count.data(), d_out.data());
  expect_global_race("__threadfence()", kFlagStoreLine, "store", {0, 0, 0}, {0, 0, 0},
                     kFlagLoadLine, "load", {0, 0, 0}, {1, 0, 0});
}

__global__ void lock_kernel(int* lock, bool atomic_release) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (atomic_release) {
    atomicExch(lock, 0);
  } else {
    *lock = 0;
  }
}

TEST_F(GlobalRaces, LockMustBeGivenBackAtomically) {
  lock_kernel<<<3, 1>>>(d_count.data(), true);
  expect_nothing_found();
  lock_kernel<<<3, 1>>>(d_count.data(), false);
  expect_some_race();
}

__global__ void multiply_kernel(int* product) {  // the usual loop around atomicCAS
  int old = *product, seen;
  do {
    seen = old;
    old = atomicCAS(product, seen, 2 * seen);
  } while (old != seen);
}

TEST_F(GlobalRaces, FirstGuessOfACompareAndSwapIsNone) {
  multiply_kernel<<<2, 3>>>(d_count.data());
  expect_nothing_found();
}

// ---- The last block ----

enum class Fence {
  none,
  by_the_storing_thread,
  by_all_before_the_barrier,
  by_one_after_it,
  by_one_before_it
};
enum class Ticket { atomic, plain };

// Each thread stores a partial result; the block that draws the last ticket adds all of them.
template <Fence kFence, Ticket kTicket>
__global__ void last_block_kernel(int* partial, int* count, int* out) {
  __shared__ bool is_last;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[i] = 1;
  if (kFence == Fence::by_all_before_the_barrier) __threadfence();
  if (kFence == Fence::by_one_before_it && threadIdx.x == 0) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (kFence == Fence::by_one_after_it) __threadfence();
    const int ticket = kTicket == Ticket::atomic ? atomicAdd(count, 1) : (*count)++;
    is_last = ticket + 1 == static_cast<int>(gridDim.x);
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (unsigned k = threadIdx.x; k < gridDim.x * blockDim.x; k += blockDim.x) sum += partial[k];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *count = 0;
}
constexpr int kPartialStoreLine = __LINE__ - 16, kPartialLoadLine = __LINE__ - 4;

TEST_F(GlobalRaces, LastBlockWithFenceOfAll) {
  for (int round = 0; round < 2; ++round) {
    last_block_kernel<Fence::by_all_before_the_barrier, Ticket::atomic>
        <<<4, 64>>>(d_scratch.data(), d_count.data(), d_out.data());
  }
  expect_nothing_found();
}

TEST_F(GlobalRaces, LastBlockWithFenceOfOneAfterTheBarrier) {
  last_block_kernel<Fence::by_one_after_it, Ticket::atomic>
      <<<4, 64>>>(d_scratch.data(), d_count.data(), d_out.data());
  expect_nothing_found();
}

TEST_F(GlobalRaces, LastBlockWithoutFence) {
  last_block_kernel<Fence::none, Ticket::atomic>
      <<<4, 64>>>(d_scratch.data(), d_count.data(), d_out.data());
  const Finding finding = expect_global_race(
      "what is missing is a __threadfence() between its store and its atomic function",
      kPartialStoreLine, "store", {0, 0, 0}, {0, 0, 0}, kPartialLoadLine, "load", {0, 0, 0},
      {3, 0, 0});
  EXPECT_EQ(finding.count, 3u * 64);
}

TEST_F(GlobalRaces, LastBlockWithFenceOfOneBeforeTheBarrier) {  // the other threads have none
  last_block_kernel<Fence::by_one_before_it, Ticket::atomic>
      <<<4, 64>>>(d_scratch.data(), d_count.data(), d_out.data());
  EXPECT_EQ(only_finding().count, 3u * 63);
}

TEST_F(GlobalRaces, LastBlockWithPlainTicket) {
  last_block_kernel<Fence::by_all_before_the_barrier, Ticket::plain>
      <<<4, 64>>>(d_scratch.data(), d_count.data(), d_out.data());
  expect_some_race();
}

template <bool kFence>
__global__ void last_block_of_one_thread_kernel(int* partial, unsigned* count, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = 1;
    if (kFence) __threadfence();
    is_last = atomicInc(count, gridDim.x - 1) + 1 == gridDim.x;
  }
  __syncthreads();
  if (is_last && threadIdx.x < gridDim.x) out[threadIdx.x] = partial[threadIdx.x];
}

TEST_F(GlobalRaces, LastBlockWhereOneThreadStores) {
  DeviceBuffer<unsigned> d_tickets(1);
  d_tickets.fill_bytes(0);
  last_block_of_one_thread_kernel<true>
      <<<8, 64>>>(d_scratch.data(), d_tickets.data(), d_out.data());
  expect_nothing_found();
  last_block_of_one_thread_kernel<false>
      <<<8, 64>>>(d_scratch.data(), d_tickets.data(), d_out.data());
  EXPECT_EQ(only_finding().count, 7u);
}

__global__ void last_warp_kernel(int* partial, int* count, int* out) {
  const int warps = static_cast<int>(gridDim.x * blockDim.x / 32);
  partial[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __threadfence();
  __syncwarp();
  int ticket = 0;
  if (threadIdx.x % 32 == 0) ticket = atomicAdd(count, 1);
  ticket = __shfl_sync(0xffffffffu, ticket, 0);
  if (ticket + 1 != warps) return;
  for (int k = static_cast<int>(threadIdx.x) % 32; k < 32 * warps; k += 32)
    out[threadIdx.x % 32] += partial[k];
}

TEST_F(GlobalRaces, LastWarp) {
  last_warp_kernel<<<2, 96>>>(d_scratch.data(), d_count.data(), d_out.data());
  expect_nothing_found();
}

__global__ void acquired_by_one_thread_kernel(int* value, int* count, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *value = 1;
    __threadfence();
    atomicAdd(count, 1);
  }
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) atomicAdd(count, 1);
    out[threadIdx.x] = *value;  // only thread 0 may
  }
}

TEST_F(GlobalRaces, OtherThreadsNeedABarrierAfterTheTicket) {
  acquired_by_one_thread_kernel<<<2, 1>>>(d_scratch.data(), d_count.data(), d_out.data());
  expect_nothing_found();
  acquired_by_one_thread_kernel<<<2, 33>>>(d_scratch.data(), d_count.data(), d_out.data());
  EXPECT_EQ(only_finding().count, 32u);
}

// ---- Within a block ----

template <bool kBarrier>
__global__ void scratch_kernel(int* scratch, int* out) {
  int* const mine = scratch + blockIdx.x * blockDim.x;
  mine[threadIdx.x] = 1;
  if (kBarrier) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine[blockDim.x - 1 - threadIdx.x];
}
constexpr int kScratchStoreLine = __LINE__ - 4, kScratchLoadLine = __LINE__ - 2;

TEST_F(GlobalRaces, ScratchOfABlockNeedsABarrier) {
  scratch_kernel<true><<<4, 64>>>(d_scratch.data(), d_out.data());
  expect_nothing_found();
  scratch_kernel<false><<<1, 64>>>(d_scratch.data(), d_out.data());
  expect_global_race("two threads of a block use the same element", kScratchStoreLine, "store",
                     {32, 0, 0}, {0, 0, 0}, kScratchLoadLine, "load", {31, 0, 0}, {0, 0, 0});
}

template <bool kSyncwarp>
__global__ void warp_scratch_kernel(int* scratch, int* out) {
  scratch[threadIdx.x] = 1;
  if (kSyncwarp) __syncwarp();
  out[threadIdx.x] = scratch[threadIdx.x ^ 1];
}

TEST_F(GlobalRaces, WithinAWarp) {
  warp_scratch_kernel<true><<<1, 32>>>(d_scratch.data(), d_out.data());
  expect_nothing_found();
  warp_scratch_kernel<false><<<1, 32>>>(d_scratch.data(), d_out.data());
  EXPECT_NE(only_finding().message.find("no __syncwarp() or __syncthreads() is between"),
            std::string::npos);
}

template <typename Vector>
__global__ void vector_kernel(Vector* out, int overlap) {
  Vector* const mine = out + threadIdx.x * static_cast<unsigned>(1 - overlap);
  *mine = Vector{};
}

TEST_F(GlobalRaces, Vectors) {
  vector_kernel<<<1, 64>>>(reinterpret_cast<float4*>(d_out.data()), 0);
  vector_kernel<<<1, 64>>>(reinterpret_cast<double*>(d_out.data()), 0);
  expect_nothing_found();
  vector_kernel<<<1, 2>>>(reinterpret_cast<float4*>(d_out.data()), 1);
  EXPECT_EQ(only_finding().count, 1u);
}

// ---- A thread's own atomic access does not hide its store ----

template <bool kBarrier>
__global__ void reset_and_count_kernel(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  if (kBarrier) __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
}
constexpr int kResetLine = __LINE__ - 6, kCountLine = __LINE__ - 4;

TEST_F(GlobalRaces, OwnAtomicDoesNotHideAStoreInSharedMemory) {
  reset_and_count_kernel<true><<<1, 64>>>(d_out.data());
  expect_nothing_found();
  reset_and_count_kernel<false><<<1, 64>>>(d_out.data());
  const Finding finding =
      expect_global_race("race on count in shared memory", kResetLine, "store", {0, 0, 0},
                         {0, 0, 0}, kCountLine, "atomic", {1, 0, 0}, {0, 0, 0});
  EXPECT_EQ(finding.count, 63u);
}

}  // namespace

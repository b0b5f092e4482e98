#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "marked_kernels.h"
#include "tests/simulator/expect_findings.h"

// Data that one thread hands to another without a barrier: it stores, makes a fence and raises a
// flag, which the other waits for.

namespace {

enum class Fence { none, block, device };
enum class Access { plain, is_volatile, atomic };

template <Fence kFence>
__device__ void make_fence() {
  if (kFence == Fence::block) __threadfence_block();
  if (kFence == Fence::device) __threadfence();
}

template <Access kAccess>
__device__ void raise(int* flag) {
  if (kAccess == Access::plain) *flag = 1;
  if (kAccess == Access::is_volatile) *static_cast<volatile int*>(flag) = 1;
  if (kAccess == Access::atomic) atomicExch(flag, 1);
}

template <Access kAccess>
__device__ bool is_raised(int* flag) {
  if (kAccess == Access::plain) return *flag != 0;
  if (kAccess == Access::is_volatile) return *static_cast<volatile int*>(flag) != 0;
  return atomicAdd(flag, 0) != 0;
}

template <Access kAccess>
__device__ void wait_for(int* flag) {
  while (!is_raised<kAccess>(flag)) {
  }
  __threadfence();
}

class Flags : public FindingsTest {
 protected:
  Flags() {
    for (DeviceBuffer<int>* d_buffer : {&d_value, &d_flag, &d_out}) d_buffer->fill_bytes(0);
  }
  // Their sizes tell them apart in messages.
  DeviceBuffer<int> d_value{1}, d_flag{2}, d_out{64};
};

const std::string kValue = "allocation of 4 bytes", kFlag = "allocation of 8 bytes";
const std::string kSharedValue = "race on value in shared memory",
                  kSharedFlag = "race on flag in shared memory";

// One race or more on each of these, and nothing else.
void expect_races_on(const std::vector<std::string>& names) {
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<bool> found(names.size());
  for (const Finding& finding : take_findings()) {
    EXPECT_EQ(finding.kind, "race");
    bool is_expected = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (finding.message.find(names[i]) == std::string::npos) continue;
      is_expected = found[i] = true;
    }
    EXPECT_TRUE(is_expected) << describe(finding);
  }
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_TRUE(found[i]) << names[i];
}

// ---- Between blocks ----

template <Access kRaise, Access kWait, Fence kFence>
__global__ void between_blocks_kernel(int* value, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *value = 42;
    make_fence<kFence>();
    raise<kRaise>(flag);
  } else {
    wait_for<kWait>(flag);
    *out = *value;
  }
}

TEST_F(Flags, AtomicFlagBetweenBlocks) {
  constexpr Access kAtomic = Access::atomic;
  between_blocks_kernel<kAtomic, kAtomic, Fence::device>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  EXPECT_EQ(d_out.to_host()[0], 42);
  expect_nothing_found();
  between_blocks_kernel<kAtomic, kAtomic, Fence::block>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_races_on({kValue});
  between_blocks_kernel<kAtomic, kAtomic, Fence::none>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_races_on({kValue});
}

TEST_F(Flags, VolatileFlagBetweenBlocks) {
  constexpr Access kVolatile = Access::is_volatile;
  between_blocks_kernel<kVolatile, kVolatile, Fence::device>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_nothing_found();
  between_blocks_kernel<kVolatile, kVolatile, Fence::block>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_races_on({kValue});
  between_blocks_kernel<kVolatile, kVolatile, Fence::none>  // a volatile store as any other
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_races_on({kValue, kFlag});
}

TEST_F(Flags, VolatileAndAtomicAccessesDoNotRace) {
  between_blocks_kernel<Access::atomic, Access::is_volatile, Fence::device>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  between_blocks_kernel<Access::is_volatile, Access::atomic, Fence::device>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_nothing_found();
  between_blocks_kernel<Access::atomic, Access::is_volatile, Fence::none>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_races_on({kValue});
}

TEST_F(Flags, PlainFlag) {
  between_blocks_kernel<Access::is_volatile, Access::plain, Fence::device>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_races_on({kValue, kFlag});
  between_blocks_kernel<Access::plain, Access::is_volatile, Fence::device>
      <<<2, 1>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_races_on({kValue, kFlag});
}

// ---- Within a block ----

template <Access kRaise, Access kWait, Fence kFence>
__global__ void within_a_block_kernel(unsigned producer, unsigned consumer, int* out) {
  __shared__ int value, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == producer) {
    value = 42;
    make_fence<kFence>();
    raise<kRaise>(&flag);
  }
  if (threadIdx.x == consumer) {
    wait_for<kWait>(&flag);
    out[blockIdx.x] = value;
  }
}

template <Access kAccess>
void expect_fence_of_the_block_is_enough(int* d_out, const std::vector<std::string>& without) {
  // Whoever comes first; in two warps and in one.
  const unsigned roles[][2] = {{0, 32}, {32, 0}, {33, 34}, {5, 3}};
  for (const auto& [producer, consumer] : roles) {
    within_a_block_kernel<kAccess, kAccess, Fence::block><<<3, 64>>>(producer, consumer, d_out);
    within_a_block_kernel<kAccess, kAccess, Fence::device><<<1, 64>>>(producer, consumer, d_out);
    expect_nothing_found();
    within_a_block_kernel<kAccess, kAccess, Fence::none><<<1, 64>>>(producer, consumer, d_out);
    expect_races_on(without);
  }
}

TEST_F(Flags, AtomicFlagInABlock) {
  expect_fence_of_the_block_is_enough<Access::atomic>(d_out.data(), {kSharedValue});
}

TEST_F(Flags, VolatileFlagInABlock) {
  expect_fence_of_the_block_is_enough<Access::is_volatile>(d_out.data(),
                                                           {kSharedValue, kSharedFlag});
}

// ---- What a flag orders, and what it does not ----

// An atomic function or a volatile store comes after volatile loads of other blocks: no race.
__global__ void loaded_before_it_is_raised(int* flag, int* out, bool right) {
  if (blockIdx.x < 3) {
    out[blockIdx.x] = *static_cast<volatile int*>(flag);  // finds: race
  } else if (right) {
    atomicAdd(flag, 1);
  } else {
    *flag = 1;  // finds: race
  }
}

enum class TooLate { stored_again, loaded_by_another };

// The flag orders what came before it, for the thread that saw it.
template <TooLate kWrong>
__global__ void too_late(int* out, bool right) {
  __shared__ int value, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 1;  // finds in loaded_by_another: race
    __threadfence_block();
    atomicExch(&flag, 1);
    if (!right && kWrong == TooLate::stored_again) value = 2;  // finds in stored_again: race
  }
  if (threadIdx.x == 32) wait_for<Access::atomic>(&flag);
  const bool another = !right && kWrong == TooLate::loaded_by_another && threadIdx.x == 64;
  // finds in stored_again, loaded_by_another: race
  if (threadIdx.x == 32 || another) out[threadIdx.x / 32] = value;
}

__global__ void handed_on(int* out, bool right) {
  __shared__ int value, flags[2];
  if (threadIdx.x < 2) flags[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 1;  // finds: race
    __threadfence_block();
    atomicExch(&flags[0], 1);
  }
  if (threadIdx.x == 32) {
    while (!is_raised<Access::atomic>(&flags[0])) {
    }
    if (right) __threadfence_block();
    atomicExch(&flags[1], 1);
  }
  if (threadIdx.x == 64) {
    wait_for<Access::atomic>(&flags[1]);
    *out = value;  // finds: race
  }
}

// Block 0 hands a value to one thread of block 1, and that to another.
__global__ void handed_on_in_a_block(int* value, int* flag, int* out, bool right) {
  __shared__ int own_flag;
  if (threadIdx.x == 0) own_flag = 0;
  __syncthreads();
  if (blockIdx.x == 0) {
    if (threadIdx.x > 0) return;
    *value = 1;  // finds: race
    __threadfence();
    atomicExch(flag, 1);
  } else if (threadIdx.x == 0) {
    while (!is_raised<Access::atomic>(flag)) {
    }
    if (right) __threadfence_block();
    atomicExch(&own_flag, 1);
  } else if (threadIdx.x == 32) {
    wait_for<Access::atomic>(&own_flag);
    *out = *value;  // finds: race
  }
}

// Every block has a flag of its own: it tells nothing of other blocks.
__global__ void flag_of_each_block(int* value, int* out) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) *value = 1;  // finds: race
    __threadfence();
    atomicExch(&flag, 1);
  }
  if (threadIdx.x == 32) {
    wait_for<Access::atomic>(&flag);
    out[blockIdx.x] = *value;  // finds: race
  }
}

__global__ void lock_of_a_block(int* out, bool right) {
  __shared__ int total, lock;
  if (threadIdx.x == 0) total = lock = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    if (right) __threadfence_block();
    total += 1;  // finds: race
    if (right) __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  out[threadIdx.x] = total;
}

void count_with_lock(Buffers, bool right) {
  DeviceBuffer<int> d_out(64);
  lock_of_a_block<<<1, 64>>>(d_out.data(), right);
  EXPECT_EQ(d_out.to_host(), std::vector<int>(64, 2));
}

// `volatile` in place of a barrier, as in kernels for GPUs before Volta.
__global__ void volatile_exchange(int* out, bool right) {
  __shared__ volatile int values[32];
  values[threadIdx.x] = 1;  // finds: race
  if (right) __syncwarp();
  out[threadIdx.x] = values[threadIdx.x ^ 1];  // finds: race
}

INSTANTIATE_TEST_SUITE_P(
    Flags, MarkedKernels,
    marked_kernels({
        {"loaded_before_it_is_raised", launch(loaded_before_it_is_raised, 4, 1)},
        {"stored_again", launch(too_late<TooLate::stored_again>, 1, 96), kSharedValue},
        {"loaded_by_another", launch(too_late<TooLate::loaded_by_another>, 1, 96), kSharedValue},
        {"handed_on", launch(handed_on, 1, 96), kSharedValue},
        {"handed_on_in_a_block",
         [](Buffers d, bool right) {
           handed_on_in_a_block<<<2, 64>>>(d.in, d.count, d.out, right);
         }},
        {"flag_of_each_block",
         [](Buffers d, bool right) { flag_of_each_block<<<right ? 1 : 2, 64>>>(d.in, d.out); }},
        {"lock_of_a_block", count_with_lock, "race on total in shared memory"},
        {"volatile_exchange", launch(volatile_exchange, 1, 32), "race on values in shared memory"},
    }),
    case_name);

}  // namespace

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "expect_findings.h"

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

// An atomic function or a volatile store comes after volatile loads of other blocks: no race.
__global__ void loads_first_kernel(int* flag, int* out, bool atomic) {
  if (blockIdx.x < 3) {
    out[blockIdx.x] = *static_cast<volatile int*>(flag);
  } else if (atomic) {
    atomicAdd(flag, 1);
  } else {
    *flag = 1;
  }
}

TEST_F(Flags, LoadedBeforeItIsRaised) {
  loads_first_kernel<<<4, 1>>>(d_flag.data(), d_out.data(), true);
  expect_nothing_found();
  loads_first_kernel<<<4, 1>>>(d_flag.data(), d_out.data(), false);
  expect_races_on({kFlag});
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

// The flag orders what came before it, for the thread that saw it.
__global__ void too_late_kernel(bool stores_again, bool another_loads, int* out) {
  __shared__ int value, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 1;
    __threadfence_block();
    atomicExch(&flag, 1);
    if (stores_again) value = 2;
  }
  if (threadIdx.x == 32) wait_for<Access::atomic>(&flag);
  if (threadIdx.x == 32 || (another_loads && threadIdx.x == 64)) out[threadIdx.x / 32] = value;
}

TEST_F(Flags, OrderNothingElse) {
  too_late_kernel<<<1, 96>>>(false, false, d_out.data());
  expect_nothing_found();
  too_late_kernel<<<1, 96>>>(true, false, d_out.data());
  expect_races_on({kSharedValue});
  too_late_kernel<<<1, 96>>>(false, true, d_out.data());
  expect_races_on({kSharedValue});
}

template <Fence kSecondFence>
__global__ void handed_on_kernel(int* out) {
  __shared__ int value, flags[2];
  if (threadIdx.x < 2) flags[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 1;
    __threadfence_block();
    atomicExch(&flags[0], 1);
  }
  if (threadIdx.x == 32) {
    while (!is_raised<Access::atomic>(&flags[0])) {
    }
    make_fence<kSecondFence>();
    atomicExch(&flags[1], 1);
  }
  if (threadIdx.x == 64) {
    wait_for<Access::atomic>(&flags[1]);
    *out = value;
  }
}

TEST_F(Flags, HandOnWhatAnotherFlagHanded) {
  handed_on_kernel<Fence::block><<<1, 96>>>(d_out.data());
  expect_nothing_found();
  handed_on_kernel<Fence::none><<<1, 96>>>(d_out.data());
  expect_races_on({kSharedValue});
}

// Block 0 hands a value to one thread of block 1, and that to another.
template <Fence kSecondFence>
__global__ void handed_on_in_a_block_kernel(int* value, int* flag, int* out) {
  __shared__ int own_flag;
  if (threadIdx.x == 0) own_flag = 0;
  __syncthreads();
  if (blockIdx.x == 0) {
    if (threadIdx.x > 0) return;
    *value = 1;
    __threadfence();
    atomicExch(flag, 1);
  } else if (threadIdx.x == 0) {
    while (!is_raised<Access::atomic>(flag)) {
    }
    make_fence<kSecondFence>();
    atomicExch(&own_flag, 1);
  } else if (threadIdx.x == 32) {
    wait_for<Access::atomic>(&own_flag);
    *out = *value;
  }
}

TEST_F(Flags, HandOnWhatAnotherBlockHanded) {
  handed_on_in_a_block_kernel<Fence::block><<<2, 64>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_nothing_found();
  handed_on_in_a_block_kernel<Fence::none><<<2, 64>>>(d_value.data(), d_flag.data(), d_out.data());
  expect_races_on({kValue});
}

// Every block has a flag of its own: it tells nothing of other blocks.
__global__ void flag_of_each_block_kernel(int* value, int* out) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) *value = 1;
    __threadfence();
    atomicExch(&flag, 1);
  }
  if (threadIdx.x == 32) {
    wait_for<Access::atomic>(&flag);
    out[blockIdx.x] = *value;
  }
}

TEST_F(Flags, OfOneBlockTellNothingOfAnother) {
  flag_of_each_block_kernel<<<1, 64>>>(d_value.data(), d_out.data());
  expect_nothing_found();
  flag_of_each_block_kernel<<<2, 64>>>(d_value.data(), d_out.data());
  expect_races_on({kValue});
}

template <Fence kFence>
__global__ void lock_kernel(int* out) {
  __shared__ int total, lock;
  if (threadIdx.x == 0) total = lock = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    make_fence<kFence>();
    total += 1;
    make_fence<kFence>();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  out[threadIdx.x] = total;
}

TEST_F(Flags, LockOfABlock) {
  lock_kernel<Fence::block><<<1, 64>>>(d_out.data());
  EXPECT_EQ(d_out.to_host(), std::vector<int>(64, 2));
  expect_nothing_found();
  lock_kernel<Fence::none><<<1, 64>>>(d_out.data());
  expect_races_on({"race on total in shared memory"});
}

// `volatile` in place of a barrier, as in kernels for GPUs before Volta.
template <bool kBarrier>
__global__ void volatile_exchange_kernel(int* out) {
  __shared__ volatile int values[32];
  values[threadIdx.x] = 1;
  if (kBarrier) __syncwarp();
  out[threadIdx.x] = values[threadIdx.x ^ 1];
}

TEST_F(Flags, VolatileIsNoBarrier) {
  volatile_exchange_kernel<true><<<1, 32>>>(d_out.data());
  expect_nothing_found();
  volatile_exchange_kernel<false><<<1, 32>>>(d_out.data());
  expect_races_on({"race on values in shared memory"});
}

}  // namespace

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "marked_kernels.h"

// Data that one thread passes to another without a barrier: it stores the data, executes a fence
// and sets a flag, for which the other thread waits.

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
  if (kAccess == Access::plain) *flag = 1;  // finds in plain_raise: race
  // finds in plain_wait, volatile_within_*: race
  if (kAccess == Access::is_volatile) *static_cast<volatile int*>(flag) = 1;
  if (kAccess == Access::atomic) atomicExch(flag, 1);
}

template <Access kAccess>
__device__ bool is_raised(int* flag) {
  if (kAccess == Access::plain) return *flag != 0;  // finds in plain_wait: race
  // finds in plain_raise, volatile_within_*: race
  if (kAccess == Access::is_volatile) return *static_cast<volatile int*>(flag) != 0;
  return atomicAdd(flag, 0) != 0;
}

template <Access kAccess>
__device__ void wait_for(int* flag) {
  while (!is_raised<kAccess>(flag)) {
  }
  __threadfence();
}

template <Access kRaise, Access kWait, Fence kFence>
__global__ void between_blocks(int* value, int* flag, int* out) {
  if (blockIdx.x == 0) {
    *value = 42;  // finds in *_between_*, plain_*: race
    make_fence<kFence>();
    raise<kRaise>(flag);
  } else {
    wait_for<kWait>(flag);
    *out = *value;  // finds in *_between_*, plain_*: race
  }
}

template <Access kRaise, Access kWait, Fence kWrong>
void hand_over(Buffers d, bool right) {
  if (!right) {
    between_blocks<kRaise, kWait, kWrong><<<2, 1>>>(d.in, d.count, d.out);
    return;
  }
  constexpr auto right_one = [](Access access) {
    return access == Access::plain ? Access::is_volatile : access;
  };
  between_blocks<right_one(kRaise), right_one(kWait), Fence::device>
      <<<2, 1>>>(d.in, d.count, d.out);
  int h_out = 0;
  CUDA_CHECK(cudaMemcpy(&h_out, d.out, sizeof h_out, cudaMemcpyDeviceToHost));
  EXPECT_EQ(h_out, 42);
}

template <Access kAccess, Fence kFence>
__global__ void within_a_block(unsigned producer, unsigned consumer, int* out) {
  __shared__ int value, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == producer) {
    value = 42;  // finds in *_within_*: race
    make_fence<kFence>();
    raise<kAccess>(&flag);
  }
  if (threadIdx.x == consumer) {
    wait_for<kAccess>(&flag);
    out[blockIdx.x] = value;  // finds in *_within_*: race
  }
}

// __threadfence_block() is enough.
template <Access kAccess, unsigned kProducer, unsigned kConsumer>
void hand_over_within(Buffers d, bool right) {
  if (right) {
    within_a_block<kAccess, Fence::block><<<3, 64>>>(kProducer, kConsumer, d.out);
    within_a_block<kAccess, Fence::device><<<1, 64>>>(kProducer, kConsumer, d.out);
  } else {
    within_a_block<kAccess, Fence::none><<<1, 64>>>(kProducer, kConsumer, d.out);
  }
}

// ---- Accesses that a flag orders, and others ----

// An atomic function or a volatile store does not race with volatile loads of other blocks.
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

// The flag orders earlier accesses, and only for the thread that has read it.
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

// Block 0 passes a value to one thread of block 1, which passes it to another thread.
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

// Every block has its own flag, which does not order accesses of other blocks.
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

constexpr char kSharedValue[] = "race on value in shared memory";

INSTANTIATE_TEST_SUITE_P(
    Flags, MarkedKernels,
    marked_kernels({
        {"volatile_between_block_fence",
         hand_over<Access::is_volatile, Access::is_volatile, Fence::block>},
        {"raised_by_atomic_between_no_fence",
         hand_over<Access::atomic, Access::is_volatile, Fence::none>},
        {"awaited_by_atomic_between_block_fence",
         hand_over<Access::is_volatile, Access::atomic, Fence::block>},
        {"plain_raise", hand_over<Access::plain, Access::is_volatile, Fence::device>, "", 2},
        {"plain_wait", hand_over<Access::is_volatile, Access::plain, Fence::device>, "", 2},
        // Either thread runs first, in two warps and in one.
        {"atomic_within_later", hand_over_within<Access::atomic, 0, 32>, kSharedValue},
        {"atomic_within_earlier", hand_over_within<Access::atomic, 32, 0>, kSharedValue},
        {"atomic_within_a_warp", hand_over_within<Access::atomic, 33, 34>, kSharedValue},
        {"atomic_within_a_warp_earlier", hand_over_within<Access::atomic, 5, 3>, kSharedValue},
        {"volatile_within_later", hand_over_within<Access::is_volatile, 0, 32>, kSharedValue, 2},
        {"volatile_within_earlier", hand_over_within<Access::is_volatile, 32, 0>,
         "race on flag in shared memory", 2},
        {"volatile_within_a_warp", hand_over_within<Access::is_volatile, 33, 34>, kSharedValue, 2},
        {"volatile_within_a_warp_earlier", hand_over_within<Access::is_volatile, 5, 3>,
         kSharedValue, 2},
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
    }),
    case_name);

}  // namespace

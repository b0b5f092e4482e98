#include "tests/simulator/expect_findings.h"
#include "tests/simulator/run_kernel.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <cuda/atomic>

#include <cstdlib>
#include <string>
#include <vector>

// Blocks that wait for what other blocks write, in each order of blocks.

namespace {

class WaitingBlocks : public FindingsTest {};

bool is_forward() {
  const char* const order = std::getenv("CUDA_SIMULATOR_BLOCK_ORDER");
  return !order || order == std::string("forward");
}

__device__ cuda::atomic_ref<int, cuda::thread_scope_device> atomic(int& value) {
  return cuda::atomic_ref<int, cuda::thread_scope_device>(value);
}

// out[b] is the sum of the numbers up to b: from the block before, or from the one behind.
__global__ void chain_kernel(int* out, volatile int* flags, bool forward) {
  const int last = static_cast<int>(gridDim.x) - 1, b = static_cast<int>(blockIdx.x);
  const int before = forward ? b - 1 : b + 1;
  if (threadIdx.x == 0) {
    int sum = b;
    if (before >= 0 && before <= last) {
      while (flags[before] == 0) {
      }
      __threadfence();
      sum += out[before];
    }
    out[b] = sum;
    __threadfence();
    flags[b] = 1;
  }
  __syncthreads();
}

TEST_F(WaitingBlocks, EachWaitsForTheOneBeforeOrBehind) {
  for (const bool forward : {true, false}) {
    for (const int blocks : {1, 2, 37}) {
      DeviceBuffer<int> d_flags(std::vector<int>(blocks, 0));
      const auto sums = output_of<int>(blocks, [&](int* d_out) {
        chain_kernel<<<blocks, 40>>>(d_out, d_flags.data(), forward);
      });
      EXPECT_EQ(sums, generated<int>(blocks, [&](int b) {
                  const int all = blocks * (blocks - 1) / 2, up_to = b * (b + 1) / 2;
                  return forward ? up_to : all - up_to + b;
                }));
    }
  }
}

// In a status: nothing yet, the block's own number, or the sum up to it.
constexpr int kOwn = 1 << 20, kSum = 2 << 20;

// Sums by looking back. deepest: the most blocks that one has looked back over. A planted bug
// counts the second block too much, unless its sum is there already.
__global__ void look_back_kernel(int* out, int* statuses, int* ticket, int* deepest, bool bug) {
  const int b = atomic(*ticket).fetch_add(1, cuda::memory_order_relaxed), own = b + 1;
  if (b > 0) atomic(statuses[b]).store(kOwn | own, cuda::memory_order_release);
  int sum = own, steps = 0;
  for (int before = b - 1; before >= 0;) {
    const int status = atomic(statuses[before]).load(cuda::memory_order_acquire);
    if (status == 0) continue;
    sum += status % kOwn;
    ++steps;
    if (status >= kSum) break;
    if (bug && steps == 2) ++sum;
    --before;
  }
  atomicMax(deepest, steps);
  atomic(statuses[b]).store(kSum | sum, cuda::memory_order_release);
  out[b] = sum;
}

struct LookedBack {
  std::vector<int> sums;
  int deepest;
};
LookedBack look_back(int blocks, bool bug) {
  DeviceBuffer<int> d_statuses(std::vector<int>(blocks, 0)), d_others(std::vector<int>{0, 0});
  const auto sums = output_of<int>(blocks, [&](int* d_out) {
    look_back_kernel<<<blocks, 1>>>(d_out, d_statuses.data(), d_others.data(), d_others.data() + 1,
                                    bug);
  });
  return {sums, d_others.to_host()[1]};
}

TEST_F(WaitingBlocks, SomeLookBackOverFiveBlocksOrMore) {
  const auto right = generated<int>(40, [](int b) { return (b + 1) * (b + 2) / 2; });
  const LookedBack found = look_back(40, false);
  EXPECT_EQ(found.sums, right);
  if (is_forward()) {
    EXPECT_EQ(found.deepest, 1);
    return;
  }
  EXPECT_GE(found.deepest, 5);
  EXPECT_NE(look_back(40, true).sums, right);
}

// A block adds its number to what the one with the ticket before has left, without waiting for it.
__global__ void ticket_kernel(int* sums, int* ticket) {
  const int b = atomicAdd(ticket, 1);
  __threadfence();
  volatile int* const left = sums;
  const int sum = b + (b > 0 ? left[b - 1] : 0);
  __threadfence();
  left[b] = sum;
}

TEST_F(WaitingBlocks, ATicketAloneOrdersNothing) {
  DeviceBuffer<int> d_sums(std::vector<int>(9, 0)), d_ticket(std::vector<int>{0});
  ticket_kernel<<<9, 1>>>(d_sums.data(), d_ticket.data());
  const bool is_right =
      d_sums.to_host() == generated<int>(9, [](int b) { return b * (b + 1) / 2; });
  EXPECT_EQ(is_right, is_forward());
}

// Each block leaves a message for all others, and waits in the middle of everything that a block
// can do: a thread at a barrier, at a shuffle, with values in shared memory and in registers.
__global__ void everything_kernel(int* out, int* arrived) {
  __shared__ int own[96];
  const int t = static_cast<int>(threadIdx.x), b = static_cast<int>(blockIdx.x);
  int values[3] = {t, b, t * b};
  own[t] = 1000 * b + t;
  int all = 0;
  if (t == 33) {
    atomic(*arrived).fetch_add(1, cuda::memory_order_release);
    while (atomic(*arrived).load(cuda::memory_order_acquire) < static_cast<int>(gridDim.x)) {
    }
    all = 1;
  }
  const int from_33 = __shfl_sync(0xffffffffu, all, 1);  // 33 is lane 1 of its warp
  const int odd = __syncthreads_count(t % 2);
  out[b * 96 + t] = own[95 - t] + values[(t + b) % 3] + 10000 * from_33 + 100000 * odd;
}

TEST_F(WaitingBlocks, KeepAllTheirState) {
  DeviceBuffer<int> d_arrived(std::vector<int>{0});
  const auto out = output_of<int>(
      5 * 96, [&](int* d_out) { everything_kernel<<<5, 96>>>(d_out, d_arrived.data()); });
  EXPECT_EQ(out, generated<int>(5 * 96, [](int i) {
              const int t = i % 96, b = i / 96, values[3] = {t, b, t * b};
              return 1000 * b + 95 - t + values[(t + b) % 3] + (t / 32 == 1 ? 10000 : 0) + 4800000;
            }));
}

// The threads look together, with a barrier.
__global__ void barrier_in_loop_kernel(int* out, int* flag) {
  __shared__ int seen;
  if (blockIdx.x == 1) {
    atomic(*flag).store(5, cuda::memory_order_release);
  } else {
    int value = 0;
    while (value == 0) {
      if (threadIdx.x == 0) seen = atomic(*flag).load(cuda::memory_order_acquire);
      __syncthreads();
      value = seen;
      __syncthreads();
    }
    out[threadIdx.x] = value;
  }
}

TEST_F(WaitingBlocks, ALoopWithABarrier) {
  DeviceBuffer<int> d_flag(std::vector<int>{0});
  EXPECT_EQ(output_of<int>(
                34, [&](int* d_out) { barrier_in_loop_kernel<<<2, 34>>>(d_out, d_flag.data()); }),
            std::vector<int>(34, 5));
}

// Block 0 reads what block 2 has written, which only block 1 has waited for.
__global__ void third_hand_kernel(int* data, int* flags, int* out) {
  const int b = static_cast<int>(blockIdx.x);
  if (b < 2) {
    while (atomic(flags[b + 1]).load(cuda::memory_order_acquire) == 0) {
    }
  }
  if (b == 0) *out = *data;
  if (b == 2) *data = 9;
  atomic(flags[b]).store(1, cuda::memory_order_release);
}

TEST_F(WaitingBlocks, OrderIsHandedOn) {
  DeviceBuffer<int> d_data(std::vector<int>{0}), d_flags(std::vector<int>{0, 0, 0});
  EXPECT_EQ(output_of<int>(1,
                           [&](int* d_out) {
                             third_hand_kernel<<<3, 1>>>(d_data.data(), d_flags.data(), d_out);
                           })[0],
            9);
}

// The flag says nothing about the data: relaxed, or for the threads of the block alone.
template <cuda::thread_scope kScope>
__global__ void weak_flag_kernel(int* data, int* flag, int* out, cuda::memory_order order) {
  const cuda::atomic_ref<int, kScope> ready(*flag);
  if (blockIdx.x == 1) {
    *data = 3;
    ready.store(1, order);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    *out = *data;
  }
}

TEST_F(WaitingBlocks, AFlagThatIsTooWeakIsARace) {
  const auto run = [](auto kernel, cuda::memory_order order) {
    DeviceBuffer<int> d_data(std::vector<int>{0}), d_flag(std::vector<int>{0}), d_out(1);
    kernel<<<2, 1>>>(d_data.data(), d_flag.data(), d_out.data(), order);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  };
  run(weak_flag_kernel<cuda::thread_scope_device>, cuda::memory_order_release);
  EXPECT_EQ(describe_all(), "");
  run(weak_flag_kernel<cuda::thread_scope_device>, cuda::memory_order_relaxed);
  EXPECT_EQ(only_finding().kind, "race");
  run(weak_flag_kernel<cuda::thread_scope_block>, cuda::memory_order_release);
  EXPECT_EQ(only_finding().kind, "race");
}

// Thread 32 of a block reads shared memory that thread 0 writes after it has waited.
__global__ void shared_race_kernel(int* out, int* arrived) {
  __shared__ int value;
  if (threadIdx.x == 0) {
    value = 1;
    atomic(*arrived).fetch_add(1, cuda::memory_order_release);
    while (atomic(*arrived).load(cuda::memory_order_acquire) < 2) {
    }
    value = 2;
  }
  if (threadIdx.x == 32) out[blockIdx.x] = value;
}

TEST_F(WaitingBlocks, ARaceAcrossAPause) {
  DeviceBuffer<int> d_arrived(std::vector<int>{0});
  output_of<int>(2, [&](int* d_out) { shared_race_kernel<<<2, 64>>>(d_out, d_arrived.data()); });
  const std::vector<Finding> findings = take_findings();
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) EXPECT_EQ(finding.kind, "race");
}

__global__ void wait_kernel(const volatile int* flags) {
  while (flags[blockIdx.x] == 0) {
  }
}
constexpr int kWaitLine = __LINE__ - 3;

TEST_F(WaitingBlocks, SayWhatTheyWaitForIfNobodyWritesIt) {
  DeviceBuffer<int> d_flags(std::vector<int>{1, 0, 1, 0});
  wait_kernel<<<4, 1>>>(d_flags.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.kind, "deadlock");
  EXPECT_EQ(finding.message,
            "no block can continue: 2 blocks wait for what no block writes. Block (1,0,0) waits "
            "for element 1 of 4 of an allocation of 16 bytes in global memory, which no thread has "
            "written. Block (3,0,0) waits for element 3 of 4 of an allocation of 16 bytes in "
            "global memory, which no thread has written.");
  ASSERT_EQ(finding.places.size(), 2u);
  expect_place(finding.places[0], kWaitLine, "wait", {}, {1, 0, 0});
  expect_place(finding.places[1], kWaitLine, "wait", {}, {3, 0, 0});
}

// All blocks wait for each other.
__global__ void all_arrive_kernel(int* arrived) {
  if (threadIdx.x == 0) {
    atomic(*arrived).fetch_add(1, cuda::memory_order_release);
    while (atomic(*arrived).load(cuda::memory_order_acquire) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
}

TEST_F(WaitingBlocks, NeedTheOthersOnTheDevice) {
  for (const int blocks : {64, 67}) {
    DeviceBuffer<int> d_arrived(std::vector<int>{0});
    all_arrive_kernel<<<blocks, 1024>>>(d_arrived.data());
    const bool fit = blocks == 64;
    EXPECT_EQ(cudaDeviceSynchronize(), fit ? cudaSuccess : cudaErrorLaunchTimeout);
    if (fit) continue;
    const Finding finding = only_finding();
    EXPECT_EQ(finding.kind, "deadlock");
    EXPECT_NE(finding.message.find("3 more blocks cannot start"), std::string::npos)
        << finding.message;
  }
}

// A thread that looks a few times and goes on without an answer.
__global__ void impatient_kernel(int* out, const volatile int* flag) {
  int looks = 0;
  while (*flag == 0 && looks < 5000) ++looks;
  out[blockIdx.x] = looks;
}

TEST_F(WaitingBlocks, MayGiveUp) {
  DeviceBuffer<int> d_flag(std::vector<int>{0});
  EXPECT_EQ(
      output_of<int>(3, [&](int* d_out) { impatient_kernel<<<3, 1>>>(d_out, d_flag.data()); }),
      std::vector<int>(3, 5000));
}

}  // namespace

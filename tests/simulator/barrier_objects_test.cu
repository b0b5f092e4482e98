#include "common/device_buffer.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <utility>
#include <vector>

// Barriers in shared memory, and the copies and pipelines of libcu++ and cooperative groups.

namespace {

namespace cg = cooperative_groups;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

class BarrierObjects : public DeviceTest {};

constexpr int kThreads = 64;

// Shifts one value per thread to the left, once per phase.
__global__ void shift_kernel(int steps, int* out) {
  __shared__ BlockBarrier barrier;
  __shared__ int values[2][kThreads];
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0) init(&barrier, kThreads);
  values[0][i] = i;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    values[(step + 1) % 2][i] = values[step % 2][(i + 1) % kThreads];
    barrier.arrive_and_wait();
  }
  out[i] = values[steps % 2][i];
}

TEST_F(BarrierObjects, SeparateThePhasesOfABlock) {
  EXPECT_EQ(output_of<int>(kThreads, [](int* out) { shift_kernel<<<1, kThreads>>>(5, out); }),
            generated<int>(kThreads, [](int i) { return (i + 5) % kThreads; }));
}

// The first warp produces and does not wait until it needs the buffer again; the second consumes.
__global__ void produce_and_consume_kernel(int steps, int* out) {
  __shared__ BlockBarrier filled, emptied;
  __shared__ int values[32];
  const int i = static_cast<int>(threadIdx.x) % 32;
  if (threadIdx.x == 0) {
    init(&filled, kThreads);
    init(&emptied, kThreads);
  }
  __syncthreads();
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x < 32) {
      values[i] = 100 * step + i;
      (void)filled.arrive();
      emptied.arrive_and_wait();
    } else {
      BlockBarrier::arrival_token token = filled.arrive();
      filled.wait(std::move(token));
      sum += values[31 - i];
      (void)emptied.arrive();
    }
  }
  if (threadIdx.x >= 32) out[i] = sum;
}

TEST_F(BarrierObjects, LetWarpsArriveWithoutWaiting) {
  EXPECT_EQ(
      output_of<int>(32, [](int* out) { produce_and_consume_kernel<<<1, kThreads>>>(4, out); }),
      generated<int>(32, [](int i) { return 600 + 4 * (31 - i); }));
}

struct AddTen {
  int* sum;
  __device__ void operator()() const noexcept { *sum += 10; }
};

// Each round a thread less takes part, so the completion runs once for each number of threads.
__global__ void completion_kernel(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block, AddTen>;
  __shared__ Barrier barrier;
  __shared__ int sum;
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0) {
    sum = 0;
    init(&barrier, blockDim.x, AddTen{&sum});
  }
  __syncthreads();
  for (int round = 0; round < i; ++round) {
    barrier.arrive_and_wait();
    out[i] = sum;
  }
  barrier.arrive_and_drop();
}

TEST_F(BarrierObjects, CallTheirCompletionOncePerPhaseAndLetThreadsLeave) {
  EXPECT_EQ(output_of<int>(40, [](int* out) { completion_kernel<<<1, 40>>>(out); }),
            generated<int>(40, [](int i) { return i == 0 ? -1 : 10 * i; }));
}

struct Three {
  int x, y, z;
};

__global__ void copy_with_barrier_kernel(const Three* in, int* out) {
  __shared__ BlockBarrier barrier;
  __shared__ Three own[kThreads];
  __shared__ __align__(16) char together[kThreads * sizeof(Three)];
  const int i = static_cast<int>(threadIdx.x);
  const cg::thread_block block = cg::this_thread_block();
  if (i == 0) init(&barrier, kThreads);
  block.sync();
  cuda::memcpy_async(&own[i], &in[i], sizeof(Three), barrier);
  // 765 bytes, the last of which are fewer than 16.
  const char* const bytes = reinterpret_cast<const char*>(in);
  cuda::memcpy_async(block, together, bytes, sizeof(together) - 3, barrier);
  BlockBarrier::arrival_token token = barrier.arrive();
  barrier.wait(std::move(token));
  out[i] = own[kThreads - 1 - i].y + 1000 * together[i * sizeof(Three)];
}

TEST_F(BarrierObjects, AreCompletedByCopies) {
  std::vector<Three> h_in;
  for (int i = 0; i < kThreads; ++i) h_in.push_back({i, 2 * i, 3 * i});
  const DeviceBuffer<Three> d_in(h_in);
  EXPECT_EQ(
      output_of<int>(
          kThreads, [&](int* out) { copy_with_barrier_kernel<<<1, kThreads>>>(d_in.data(), out); }),
      generated<int>(kThreads, [](int i) { return 2 * (kThreads - 1 - i) + 1000 * i; }));
}

__global__ void thread_pipeline_kernel(const int* in, int steps, int* out) {
  __shared__ int buffers[2][kThreads];
  const int i = static_cast<int>(threadIdx.x);
  const auto size = cuda::aligned_size_t<alignof(int)>(sizeof(int));
  cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
  int sum = 0, started = 0;
  for (int step = 0; step < steps; ++step) {
    for (; started < steps && started < step + 2; ++started) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&buffers[started % 2][i], &in[started * kThreads + i], size, pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    __syncthreads();
    sum += (step + 1) * buffers[step % 2][kThreads - 1 - i];
    __syncthreads();
    pipeline.consumer_release();
  }
  out[i] = sum;
}

// The first warp copies, the others use what has arrived.
__global__ void block_pipeline_kernel(const int* in, int steps, int* out) {
  constexpr int kStages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ __align__(16) int buffers[kStages][kThreads];
  const cg::thread_block block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipeline = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (produces) {
    const auto warp = cg::tiled_partition<32>(block);
    for (int step = 0; step < steps; ++step) {
      pipeline.producer_acquire();
      cuda::memcpy_async(warp, buffers[step % kStages], &in[step * kThreads],
                         cuda::aligned_size_t<16>(sizeof(buffers[0])), pipeline);
      pipeline.producer_commit();
    }
    return;
  }
  const int i = static_cast<int>(threadIdx.x) - 32;
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    pipeline.consumer_wait();
    sum += (step + 1) * buffers[step % kStages][kThreads - 1 - i];
    pipeline.consumer_release();
  }
  out[i] = sum;
}

TEST_F(BarrierObjects, PipelinesKeepSeveralCopiesInFlight) {
  for (const int steps : {1, 2, 7}) {
    const DeviceBuffer<int> d_in(generated<int>(7 * kThreads, [](int i) { return i; }));
    const auto expected = generated<int>(kThreads, [&](int i) {
      int sum = 0;
      for (int step = 0; step < steps; ++step)
        sum += (step + 1) * (step * kThreads + kThreads - 1 - i);
      return sum;
    });
    EXPECT_EQ(output_of<int>(kThreads,
                             [&](int* out) {
                               thread_pipeline_kernel<<<1, kThreads>>>(d_in.data(), steps, out);
                             }),
              expected);
    EXPECT_EQ(output_of<int>(kThreads,
                             [&](int* out) {
                               block_pipeline_kernel<<<1, 32 + kThreads>>>(d_in.data(), steps, out);
                             }),
              expected);
  }
}

__global__ void group_copy_kernel(const int* in, int* out) {
  __shared__ int first[100], second[100];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, first, in, sizeof(first));
  cg::memcpy_async(block, second, 100, &in[100], 50);  // 50 elements
  cg::wait_prior<1>(block);
  for (unsigned i = threadIdx.x; i < 100; i += block.size()) out[i] = first[99 - i];
  cg::wait(block);
  for (unsigned i = threadIdx.x; i < 50; i += block.size()) out[100 + i] = second[49 - i];
}

TEST_F(BarrierObjects, GroupsCopyTogether) {
  const DeviceBuffer<int> d_in(generated<int>(150, [](int i) { return i; }));
  EXPECT_EQ(
      output_of<int>(150, [&](int* out) { group_copy_kernel<<<1, kThreads>>>(d_in.data(), out); }),
      generated<int>(150, [](int i) { return i < 100 ? 99 - i : 249 - i; }));
}

struct Scans {
  int inclusive, exclusive, largest;
};

__global__ void scan_kernel(Scans* out) {
  const int i = static_cast<int>(threadIdx.x);
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  out[i] = {cg::inclusive_scan(tile, i), cg::exclusive_scan(tile, i, cg::plus<int>()), 0};
  __syncwarp();
  if (i % 3 != 0) return;
  const cg::coalesced_group thirds = cg::coalesced_threads();
  out[i].largest = cg::inclusive_scan(thirds, i % 2 == 0 ? 100 - i : 0, cg::greater<int>());
}

TEST_F(BarrierObjects, GroupsScan) {
  const auto scans = output_of<Scans>(32, [](Scans* out) { scan_kernel<<<1, 32>>>(out); });
  for (int i = 0; i < 32; ++i) {
    int below = 0;
    for (int other = i / 8 * 8; other < i; ++other) below += other;
    EXPECT_EQ(scans[i].inclusive, below + i) << i;
    EXPECT_EQ(scans[i].exclusive, below) << i;
    EXPECT_EQ(scans[i].largest, i % 3 == 0 ? 100 : 0) << i;
  }
}

__global__ void large_tile_kernel(int* out) {
  __shared__ cg::block_tile_memory<256> scratch;
  __shared__ int values[256];
  const cg::thread_block block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<64>(block);
  const int i = static_cast<int>(threadIdx.x);
  for (int round = 0; round < i / 64; ++round) tile.sync();  // each tile as often as it likes
  values[i] = i;
  tile.sync();
  const int reversed = values[tile.meta_group_rank() * 64 + 63 - tile.thread_rank()];
  const int sum = cg::reduce(tile, reversed, cg::plus<int>());
  out[i] = sum + 100000 * tile.shfl(i, 3) + tile.all(i < 128) + 2 * tile.any(i == 255);
}

TEST_F(BarrierObjects, TilesOfSeveralWarpsMeetReduceAndExchange) {
  EXPECT_EQ(output_of<int>(256, [](int* out) { large_tile_kernel<<<1, 256>>>(out); }),
            generated<int>(256, [](int i) {
              const int first = i / 64 * 64;
              const int votes = (i < 128 ? 1 : 0) + (i >= 192 ? 2 : 0);
              return 64 * first + 2016 + 100000 * (first + 3) + votes;
            }));
}

}  // namespace

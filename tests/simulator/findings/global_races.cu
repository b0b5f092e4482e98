#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "marked_kernels.h"
#include "tests/simulator/expect_findings.h"

// Races in global memory: between the blocks of a launch, and within one.

namespace {

// ---- Too many races ----

// A beginner's kernel, copied from a CPU: each thread does all the work.
__global__ void all_by_everyone_kernel(int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = i;
}
constexpr int kAllByEveryoneLine = __LINE__ - 2;

class GlobalRaces : public FindingsTest {
 protected:
  DeviceBuffer<int> d_out{1024};
};

TEST_F(GlobalRaces, TooManyEndTheLaunch) {
  all_by_everyone_kernel<<<100'000, 128>>>(d_out.data(), 1024);  // 13 billion stores
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  for (const Finding& finding : take_findings()) {
    EXPECT_EQ(finding.kind, "race") << describe(finding);
    EXPECT_EQ(finding.places[0].line, kAllByEveryoneLine);
  }
}

TEST_F(GlobalRaces, AfterAMillionTheLaunchContinues) {
  all_by_everyone_kernel<<<8, 128>>>(d_out.data(), 1024);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::uint64_t count = 0;
  for (const Finding& finding : take_findings()) count += finding.count;
  EXPECT_GT(count, 900'000u);
  EXPECT_EQ(d_out.to_host()[1000], 1000);
}

// ---- Between blocks ----

__global__ void two_blocks(int* out, bool right) {  // finds in two_launches: nothing
  // finds: race store by 0 and store by 0 of block 2
  if (threadIdx.x == 0) out[blockIdx.x * (right ? 1 : 512) % 1024] = 7;
}

void two_launches(Buffers d, bool right) {
  for (int round = 0; round < 2; ++round) two_blocks<<<1, 32>>>(d.out, right);
}

__global__ void plain_histogram(int* in, int* out, bool right) {
  int* const bin = &out[in[blockIdx.x * blockDim.x + threadIdx.x] % 16];
  if (right) {
    atomicAdd(bin, 1);
  } else {
    *bin += 1;  // finds: race
  }
}

template <unsigned kPlainBlock>
__global__ void plain_reset(int* out, bool right) {
  if (!right && blockIdx.x == kPlainBlock) {
    *out = 0;  // finds in *_resets: race store
  } else {
    atomicAdd(out, 1);  // finds in *_resets: race atomic
  }
}

template <typename T>
__global__ void element_of_each_block(int* out, bool) {  // finds in *_of_each_block: nothing
  reinterpret_cast<T*>(out)[blockIdx.x] = static_cast<T>(blockIdx.x);
}

__global__ void same_bytes(int* out, bool right) {
  if (right && blockIdx.x == 1) return;
  reinterpret_cast<char*>(out)[threadIdx.x] = 1;  // finds: race, 16 times
}

// Block 1 writes elements that block 0 has read.
__global__ void load_of_an_earlier_block(int* in, int* out, bool right) {
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += (right ? in : out)[i];  // finds: race
  out[blockIdx.x] = sum;                                     // finds: race
}

__device__ int totals[4];
__global__ void device_variable(int*, bool right) {
  totals[right ? blockIdx.x : 0] = 1;  // finds: race
}

void store_to_variable(Buffers d, bool right) {
  device_variable<<<2, 1>>>(d.out, right);
  int h_totals[4];
  CUDA_CHECK(cudaMemcpyFromSymbol(h_totals, totals, sizeof h_totals));  // so g++ keeps the array
}

__device__ int x;  // as a mangled name it would be the type long long
__global__ void add_to_variable(int*, bool right) {
  if (right) {
    atomicAdd(&x, 1);
  } else {
    x += 1;  // finds: race
  }
}

// One thread of each block: when the race is found, the second block's store has not run.
__global__ void add_to_one(int* out, bool right) {
  int* const sum = &out[right ? blockIdx.x : 0];
  *sum = *sum + 1;  // finds: race
}

// ---- The last block ----

// Each thread stores a partial result; the block that gets the last ticket adds them up.
template <bool kAtomicTicket>
__global__ void last_block(int* partial, int* count, int* out) {
  __shared__ bool is_last;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[i] = 1;  // finds in plain_ticket: race
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    // finds in plain_ticket: race
    const int ticket = kAtomicTicket ? atomicAdd(count, 1) : (*count)++;
    is_last = ticket + 1 == static_cast<int>(gridDim.x);
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  // finds in plain_ticket: race
  for (unsigned k = threadIdx.x; k < gridDim.x * blockDim.x; k += blockDim.x) sum += partial[k];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) *count = 0;  // finds in plain_ticket: race
}

void take_tickets(Buffers d, bool right) {
  const auto kernel = right ? last_block<true> : last_block<false>;
  for (int round = 0; round < (right ? 2 : 1); ++round) kernel<<<4, 64>>>(d.in, d.count, d.out);
}

__global__ void last_warp(int* partial, int* count, int* out, bool right) {
  const int warps = static_cast<int>(gridDim.x * blockDim.x / 32);
  partial[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // finds: race store
  __threadfence();
  __syncwarp();
  int ticket = 0;
  if (threadIdx.x % 32 == 0) ticket = atomicAdd(count, 1);
  ticket = __shfl_sync(0xffffffffu, ticket, 0);
  if (ticket + 1 != warps) return;
  if (right) __syncwarp();  // the shuffle passes the ticket, but not what lane 0 has acquired
  for (int k = static_cast<int>(threadIdx.x) % 32; k < 32 * warps; k += 32)
    out[threadIdx.x % 32] += partial[k];  // finds: race load
}

__global__ void acquired_by_one_thread(int* value, int* count, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *value = 1;  // finds: race, 32 times
    __threadfence();
    atomicAdd(count, 1);
  }
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) atomicAdd(count, 1);  // so only thread 0 is allowed to load
    out[threadIdx.x] = *value;                  // finds: race
  }
}

// ---- Within a block ----

template <typename Vector>
__global__ void vectors(int* out, bool right) {
  // finds in *_vectors: race, 1 time
  reinterpret_cast<Vector*>(out)[right ? threadIdx.x : 0] = Vector{};
}

INSTANTIATE_TEST_SUITE_P(
    GlobalRaces, MarkedKernels,
    marked_kernels({
        {"two_blocks", launch(two_blocks, 3, 32),
         "race on element 0 of 1024 of an allocation of 4096 bytes in global memory: two blocks of "
         "one launch...even if both write the same value"},
        {"two_launches", two_launches},
        {"plain_histogram", launch(plain_histogram, 4, 1),
         "two blocks of one launch...atomicAdd... update=same kernel=", 2},
        {"add_to_variable", launch(add_to_variable, 1, 32),
         "race on x in global memory: two threads...Give each thread its own element, or use an "
         "atomic function...array=x...update=same"},
        {"add_to_one", launch(add_to_one, 2, 1), "atomicAdd...update=same", 2},
        {"first_resets", launch(plain_reset<0>, 2, 1),
         "the store may come later and overwrite its result...\nfinding=race access=store thread=0 "
         "block=0 "
         "access=atomic thread=0 block=1 between=blocks memory=global at=0 end=4096 "
         "width=4 kernel="},
        {"second_resets", launch(plain_reset<1>, 2, 1)},
        {"char_of_each_block", launch(element_of_each_block<char>, 64, 1)},
        {"short_of_each_block", launch(element_of_each_block<short>, 64, 1)},
        {"same_bytes", launch(same_bytes, 2, 64)},
        {"load_of_an_earlier_block", launch(load_of_an_earlier_block, 2, 1)},
        {"device_variable", store_to_variable, "race on element 0 of 4 of totals in global memory"},
        {"plain_ticket", take_tickets, "", 3},
        {"last_warp",
         [](Buffers d, bool right) { last_warp<<<2, 96>>>(d.in, d.count, d.out, right); }},
        {"acquired_by_one_thread",
         [](Buffers d, bool right) {
           acquired_by_one_thread<<<2, right ? 1 : 33>>>(d.in, d.count, d.out);
         }},
        {"float_vectors",
         [](Buffers d, bool right) { vectors<float4><<<1, right ? 64 : 2>>>(d.out, right); }},
        {"double_vectors",
         [](Buffers d, bool right) { vectors<double><<<1, right ? 64 : 2>>>(d.out, right); }},
    }),
    case_name);

}  // namespace

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "tests/simulator/expect_counts.h"
#include "tests/support/device_test.h"
#include "trace/report/report.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <cuda/pipeline>

#include <cstdint>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

// Costs of accesses, compared with numbers worked out by hand. hardware_counts compares the sums
// over a kernel with a GPU's: requests, and sectors or wavefronts. A sector is 32 bytes of global
// memory, at a multiple of 32; cudaMalloc's addresses are multiples of 256.

namespace {

using cuda_simulator::AccessCounts;
using cuda_simulator::AccessKind;
using cuda_simulator::KernelTracer;
using cuda_simulator::MemorySpace;

// ---- Global memory ----

class Sectors : public DeviceTest {};

template <typename Index>
__global__ void load_kernel(const float* in, Index index, float* out) {
  out[threadIdx.x] = in[index(static_cast<int>(threadIdx.x))];
}

// The ideal sectors of a warp that loads in[index(lane)].
template <typename Index>
std::uint64_t ideal(Index index) {
  DeviceBuffer<float> d_in(4096), d_out(32);
  d_in.fill_bytes(0);
  const auto sum = [] { return total_of(MemorySpace::global, AccessKind::load).ideal_sectors; };
  const std::uint64_t before = sum();
  load_kernel<<<1, 32>>>(d_in.data(), index, d_out.data());
  return sum() - before;
}

struct Permuted {  // 13 and 32 have no common factor
  __device__ int operator()(int x) const { return 13 * x % 32; }
};
struct Divided {
  int threads;
  __device__ int operator()(int x) const { return 100 * (x / threads); }
};

TEST_F(Sectors, BytesThatLanesShareCountOnceInTheIdeal) {
  EXPECT_EQ(ideal(Divided{32}), 1u);
  EXPECT_EQ(ideal(Divided{16}), 1u);  // two floats
  EXPECT_EQ(ideal(Divided{2}), 2u);   // 16 floats
  EXPECT_EQ(ideal(Permuted{}), 4u);
}

__attribute__((noinline)) __device__ float4 four_of(float x) { return {x, x, x, x}; }
__global__ void returned_kernel(float4* out) { out[threadIdx.x] = four_of(1.0f); }

TEST_F(Sectors, StoreOfAReturnedStructure) {  // 512 bytes
  DeviceBuffer<float4> d_out(32);
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::store,
                    [&] { returned_kernel<<<1, 32>>>(d_out.data()); }),
            (Cost{1, 32, 16}));
}

struct Reduces {
  template <typename Tile>
  __device__ float operator()(const Tile& tile, const float& value) const {
    return cooperative_groups::reduce(tile, value, cooperative_groups::plus<float>());
  }
};
struct Scans {
  template <typename Tile>
  __device__ float operator()(const Tile& tile, const float& value) const {
    return cooperative_groups::inclusive_scan(tile, value);
  }
};
struct ScansOthers {
  template <typename Tile>
  __device__ float operator()(const Tile& tile, const float& value) const {
    return cooperative_groups::exclusive_scan(tile, value);
  }
};
template <typename Collective>
__global__ void collective_kernel(const float* in, float* out, Collective collective) {
  const auto tile =
      cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  out[threadIdx.x] = collective(tile, in[threadIdx.x]);
}
template <typename Collective>
Cost loads_of(Collective collective) {
  DeviceBuffer<float> d_in(32), d_out(32);
  d_in.fill_bytes(0);
  return cost_of(MemorySpace::global, AccessKind::load,
                 [&] { collective_kernel<<<1, 32>>>(d_in.data(), d_out.data(), collective); });
}

TEST_F(Sectors, TheValueOfAReductionOrAScan) {
  EXPECT_EQ(loads_of(Reduces{}), (Cost{1, 32, 4}));
  EXPECT_EQ(loads_of(Scans{}), (Cost{1, 32, 4}));
  EXPECT_EQ(loads_of(ScansOthers{}), (Cost{1, 32, 4}));
}

__global__ void library_kernel(float* floats, double* doubles, int* integers) {
  const unsigned i = threadIdx.x;
  sincosf(doubles[i] < 1 ? 1.0f : 2.0f, &floats[i], &floats[32 + i]);
  sincos(doubles[i], &doubles[32 + i], &doubles[64 + i]);
  floats[96 + i] = modff(1.5f + i, &floats[64 + i]) + frexpf(1.0f + i, &integers[i]);
  doubles[128 + i] = modf(1.5 + i, &doubles[96 + i]) + frexp(1.0 + i, &integers[32 + i]);
  floats[128 + i] = remquof(7.0f + i, 2.0f, &integers[64 + i]);
  doubles[160 + i] = remquo(7.0 + i, 2.0, &integers[96 + i]);
}

TEST_F(Sectors, ResultsThatTheLibraryStores) {  // 4 floats, 4 integers and 3 doubles; then the rest
  DeviceBuffer<float> d_floats(160);
  DeviceBuffer<double> d_doubles(192);
  DeviceBuffer<int> d_integers(128);
  d_doubles.fill_bytes(0);
  const auto launch = [&] {
    library_kernel<<<1, 32>>>(d_floats.data(), d_doubles.data(), d_integers.data());
  };
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::store, launch),
            (Cost{14, 14 * 32, 9 * 4 + 5 * 8}));
  EXPECT_EQ(d_floats.to_host()[64], 1.0f);
  EXPECT_EQ(d_doubles.to_host()[96], 1.0);
  EXPECT_EQ(d_integers.to_host()[33], 2);
}

// In the second phase half of the lanes load: 64 bytes.
__global__ void phases_kernel(const float* in, float* out) {
  const auto grid = cooperative_groups::this_grid();
  const auto i = static_cast<unsigned>(grid.thread_rank());
  float value = in[i];
  grid.sync();
  if (threadIdx.x < 16) value += in[i + 64];
  grid.sync();
  out[i] = value;
}

TEST_F(Sectors, PhasesOfACooperativeLaunch) {
  DeviceBuffer<float> d_in(128), d_out(64);
  d_in.fill_bytes(0);
  const float* in = d_in.data();
  float* out = d_out.data();
  const auto launch = [&] {
    void* arguments[] = {&in, &out};
    CUDA_CHECK(cudaLaunchCooperativeKernel(phases_kernel, dim3(2), dim3(32), arguments));
  };
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::load, launch), (Cost{4, 96, 12}));
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::store, launch), (Cost{2, 64, 8}));
}

__global__ void atomic_of_a_block_kernel(int* counters) {
  atomicAdd_block(&counters[threadIdx.x], 1);
}
constexpr int kAtomicOfABlockLine = __LINE__ - 2;

TEST_F(Sectors, OfInlinedHeaderCodeBelongToTheCaller) {
  DeviceBuffer<int> d_counters(32);
  d_counters.fill_bytes(0);
  atomic_of_a_block_kernel<<<1, 32>>>(d_counters.data());
  EXPECT_EQ(on_line(kAtomicOfABlockLine).sectors, 4u);
}

__global__ void cached_pairs_kernel(const double2* in, double2* out) {
  __stcs(out + threadIdx.x, __ldcs(in + threadIdx.x));
}

TEST_F(Sectors, OfCachedLoadsAndStoresOfStructures) {
  DeviceBuffer<double2> d_in(32), d_out(32);
  d_in.fill_bytes(0);
  const auto launch = [&] { cached_pairs_kernel<<<1, 32>>>(d_in.data(), d_out.data()); };
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::load, launch), (Cost{1, 32, 16}));
  EXPECT_EQ(cost_of(MemorySpace::global, AccessKind::store, launch), (Cost{1, 32, 16}));
}

// ---- The busiest warp ----

// The first warp of the first block does all the work.
__global__ void one_warp_kernel(float* out, int size) {
  if (blockIdx.x > 0 || threadIdx.x >= 32) return;
  for (int i = static_cast<int>(threadIdx.x); i < size; i += 32) out[i] = 1;
}

TEST(BusiestWarp, IdleWarpsDoNotChangeItsRequests) {
  DeviceBuffer<float> d_out(1024);
  one_warp_kernel<<<1, 32>>>(d_out.data(), 1024);
  EXPECT_EQ(KernelTracer::get().kernels().back()->busiest_warp_requests, 32u);
  one_warp_kernel<<<64, 128>>>(d_out.data(), 1024);
  EXPECT_EQ(KernelTracer::get().kernels().back()->busiest_warp_requests, 32u);
}

TEST(BusiestWarp, LaunchesAddUp) {
  DeviceBuffer<float> d_out(96);
  for (int launch = 0; launch < 3; ++launch) one_warp_kernel<<<2, 64>>>(d_out.data(), 96);
  EXPECT_EQ(KernelTracer::get().kernels().back()->busiest_warp_requests, 9u);
}

// ---- Shared memory ----

__device__ __forceinline__ int opposite_lane(int value) {
  __shared__ int values[32];
  values[threadIdx.x] = value;
  __syncthreads();
  return values[31 - threadIdx.x];
}
__global__ void inlined_function_kernel(int* out) {
  out[threadIdx.x] = opposite_lane(static_cast<int>(threadIdx.x));
}

TEST(SharedBytes, IncludeArraysOfInlinedFunctions) {
  DeviceBuffer<int> d_out(32);
  inlined_function_kernel<<<1, 32>>>(d_out.data());
  EXPECT_EQ(KernelTracer::get().kernels().back()->accessed_shared_bytes, 32 * sizeof(int));
}

__global__ void pipeline_kernel() {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const bool produces = threadIdx.x < 32;
  cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                      produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
}

TEST_F(Sectors, TheProducersOfAPipeline) {  // counted by the producers, loaded by all threads
  const auto launch = [] { pipeline_kernel<<<1, 64>>>(); };
  EXPECT_EQ(cost_of(MemorySpace::shared, AccessKind::atomic, launch).lanes, 32u);
  EXPECT_EQ(cost_of(MemorySpace::shared, AccessKind::load, launch), (Cost{2, 64, 2}));
  EXPECT_EQ(cost_of(MemorySpace::shared, AccessKind::store, launch), (Cost{1, 1, 1}));
}

// ---- Constant and local memory ----

__constant__ int constants[40];
__global__ void constants_kernel(const int* in, int* out) {
  const int other = constants[in[threadIdx.x] % 40];
  out[threadIdx.x] = constants[3] + other;
}
constexpr int kConstantsLine = __LINE__ - 3;

TEST(ConstantMemory, DifferentAddressesAreReadOneAfterTheOther) {
  std::vector<int> h_in(64);
  for (int i = 0; i < 64; ++i) h_in[i] = i < 32 ? i : i % 2;
  DeviceBuffer<int> d_in(h_in), d_out(64);
  constants_kernel<<<1, 64>>>(d_in.data(), d_out.data());
  EXPECT_EQ(on_line(kConstantsLine).different_addresses, 32u + 2u);
  EXPECT_EQ(on_line(kConstantsLine + 1).different_addresses, 1u + 1u);
}

__global__ void local_arrays_kernel(const int* in, int* out) {
  int bins[4] = {}, in_registers[4];
  for (int i = 0; i < 3; ++i) bins[in[i]] = i;
  for (int i = 0; i < 4; ++i) in_registers[i] = i;
  out[threadIdx.x] = bins[2] + in_registers[3];
}
constexpr int kBinsLine = __LINE__ - 4;

TEST(LocalMemory, CountsTheAccessesOfAnArrayThatIsIndexedByData) {
  DeviceBuffer<int> d_in(std::vector<int>{2, 0, 2}), d_out(32);
  local_arrays_kernel<<<1, 32>>>(d_in.data(), d_out.data());
  std::map<int, std::uint64_t> counts;
  for (const auto& [code, accesses] : KernelTracer::get().kernels().back()->local_accesses) {
    EXPECT_STREQ(accesses.array, "bins");
    counts[cuda_simulator::learners_position(code).line] += accesses.count;
  }
  EXPECT_EQ(counts, (std::map<int, std::uint64_t>{{kBinsLine, 3 * 32}, {kBinsLine + 2, 32}}));
}

// ---- The report ----

__global__ void reported_kernel(const float* in, float* out) {
  __syncthreads();
  out[threadIdx.x] = in[2 * threadIdx.x];
}
constexpr int kReportedLine = __LINE__ - 2;

TEST(Report, HoldsTheCountsOfEachAccess) {
  DeviceBuffer<float> d_in(128), d_out(64);
  d_in.fill_bytes(0);
  reported_kernel<<<1, 64>>>(d_in.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  std::ostringstream out;
  cuda_simulator::write_report(KernelTracer::get().kernels(), KernelTracer::get().links(), {},
                               false, out);
  const std::string report = out.str();

  EXPECT_NE(report.find(
                "{\"name\":\"reported_kernel\",\"launches\":1,\"grid\":[1,1,1],\"block\":[64,1,1],"
                "\"static_shared_bytes\":0,\"dynamic_shared_bytes\":0,\"blocks\":1,"
                "\"threads\":64,\"barriers\":1,\"busiest_warp_requests\":2,\"accesses\":["),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("counts_test.cu\",\"line\":" + std::to_string(kReportedLine) +
                        ",\"column\":40,\"memory\":\"global\",\"operation\":\"load\","
                        "\"bytes_per_lane\":4,\"requests\":2,\"lanes\":64,\"sectors\":16,"
                        "\"ideal_sectors\":8,\"max_sectors\":8,\"wavefronts\":0,"
                        "\"ideal_wavefronts\":0,\"max_conflict_ways\":0,"
                        "\"different_addresses\":0,\"stride_bytes\":8,"
                        "\"approximate\":false,\"order\":1,\"example\":{\"block\":[0,0,0],"
                        "\"warp\":0,\"approximate\":false,\"sectors\":8,\"wavefronts\":0,"
                        "\"array\":\"allocation "),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("\"findings\":[]}"), std::string::npos) << report;
}

}  // namespace

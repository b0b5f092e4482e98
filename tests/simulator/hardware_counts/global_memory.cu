#include "cases.h"
#include "common/ceil_div.h"
#include "values.h"

#include <algorithm>
#include <cstddef>

// Patterns of the addresses that the lanes of a warp use. The elements are floats.

namespace {

constexpr int kBlocks = 4, kThreads = 256, kCount = kBlocks * kThreads;

// ---- One access per thread, at index(i) ----

template <typename Index>
__global__ void load_at(const float* in, Index index, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[index(i)];
}

template <typename Index>
__global__ void store_at(const float* in, Index index, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[index(i)] = in[i];
}

struct Linear {
  int stride, offset;
  __host__ __device__ int operator()(int i) const { return stride * i + offset; }
};
// The lanes of a warp read `addresses` different sectors.
struct FewAddresses {
  int addresses;
  __host__ __device__ int operator()(int i) const { return i / 32 * 256 + i % addresses * 8; }
};
struct Butterfly {
  int mask;
  __host__ __device__ int operator()(int i) const { return i ^ mask; }
};
// A warp's lanes in a permuted order; 13 and 32 have no common factor.
struct Shuffled {
  __host__ __device__ int operator()(int i) const { return i / 32 * 32 + (13 * i + 5) % 32; }
};
// Rows of 100 floats, not a multiple of a sector, one warp per row.
struct Pitched {
  __host__ __device__ int operator()(int i) const { return i / 32 * 100 + i % 32; }
};

template <typename Index>
int extent_of(Index index) {
  int extent = 0;
  for (int i = 0; i < kCount; ++i) extent = std::max(extent, index(i) + 1);
  return extent;
}

template <typename Index>
void check_load(Index index) {
  check(
      whole_numbers<float>(extent_of(index)), unwritten<float>(kCount), kCount,
      [=](const float* in, float* out) { load_at<<<kBlocks, kThreads>>>(in, index, out); },
      [=](const float* in, float* out, int i) { out[i] = in[index(i)]; });
}

template <typename Index>
void check_store(Index index) {
  check(
      whole_numbers<float>(kCount), unwritten<float>(extent_of(index)), kCount,
      [=](const float* in, float* out) { store_at<<<kBlocks, kThreads>>>(in, index, out); },
      [=](const float* in, float* out, int i) { out[index(i)] = in[i]; });
}

// ---- Addresses from an array ----

__global__ void gather(const float* in, const int* index, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[index[i]];
}

__global__ void scatter(const float* in, const int* index, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[index[i]] = in[i];
}

int random_place(int i) { return (i * 397 + 11) % kCount; }  // 397 is odd: each index once

void check_gather() {
  const DeviceBuffer<int> index(generated<int>(kCount, random_place));
  check(
      whole_numbers<float>(kCount), unwritten<float>(kCount), kCount,
      [&](const float* in, float* out) { gather<<<kBlocks, kThreads>>>(in, index.data(), out); },
      [](const float* in, float* out, int i) { out[i] = in[random_place(i)]; });
}

void check_scatter() {
  const DeviceBuffer<int> index(generated<int>(kCount, random_place));
  check(
      whole_numbers<float>(kCount), unwritten<float>(kCount), kCount,
      [&](const float* in, float* out) { scatter<<<kBlocks, kThreads>>>(in, index.data(), out); },
      [](const float* in, float* out, int i) { out[random_place(i)] = in[i]; });
}

// ---- Shapes of blocks ----

// launch(in, out) must store `factor` times the elements of `in`.
template <typename Launch>
Case scaled_case(const std::string& name, const char* description, int count, float factor,
                 Launch launch) {
  return {name, description, [=] {
            check(whole_numbers<float>(count), unwritten<float>(count), count, launch,
                  [=](const float* in, float* out, int i) { out[i] = factor * in[i]; });
          }};
}

struct Volume {
  int x, y, z;
};

__global__ void copy_volume(const float* in, float* out, Volume size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= size.x || y >= size.y || z >= size.z) return;
  const int i = (z * size.y + y) * size.x + x;
  out[i] = in[i];
}

// x, the fastest in a block, is the slowest in memory.
__global__ void copy_volume_turned(const float* in, float* out, Volume size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= size.x || y >= size.y || z >= size.z) return;
  const int i = (x * size.y + y) * size.z + z;
  out[i] = in[i];
}

// Not multiples of the blocks.
constexpr Volume kVolume{20, 18, 10};

Case block_shape_case(const std::string& name, const char* description, dim3 block,
                      void (*kernel)(const float*, float*, Volume)) {
  const auto blocks_along = [](int extent, unsigned threads) {
    return static_cast<unsigned>(ceil_div(extent, static_cast<int>(threads)));
  };
  const dim3 blocks(blocks_along(kVolume.x, block.x), blocks_along(kVolume.y, block.y),
                    blocks_along(kVolume.z, block.z));
  return scaled_case(
      name, description, kVolume.x * kVolume.y * kVolume.z, 1,
      [=](const float* in, float* out) { kernel<<<blocks, block>>>(in, out, kVolume); });
}

// ---- Copies ----

__global__ void copy(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

template <int kUnroll>
__global__ void copy_grid_stride(const float* in, float* out, int count) {
  const int threads = gridDim.x * blockDim.x;
#pragma unroll kUnroll
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) out[i] = in[i];
}

template <int kUnroll>
__global__ void copy_four_a_thread(const float* in, float* out) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll kUnroll
  for (int k = 0; k < 4; ++k) out[first + k] = in[first + k];
}

__global__ void copy_cached(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __stcg(&out[i], __ldg(&in[i]) + __ldcg(&in[i]) + __ldcs(&in[i]));
}

__global__ void copy_volatile(const volatile float* in, volatile float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + in[i];
}

// `in` and `out` might be the same array, so the second load is needed.
__global__ void load_again_after_store(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
  out[i] += in[i];
}

__global__ void load_twice(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 2 + in[i];
}

// ---- Variables of the device ----

__device__ float device_table[kCount];
__device__ float device_scale;
__constant__ float constant_table[32];

__global__ void scale_device_table(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = device_scale * device_table[i];
}

__global__ void load_constants(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = constant_table[threadIdx.x % 32] + constant_table[blockIdx.x];
}

void check_device_variables() {
  const std::vector<float> table = whole_numbers<float>(kCount);
  const float scale = 3;
  CUDA_CHECK(cudaMemcpyToSymbol(device_table, table.data(), table.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpyToSymbol(device_scale, &scale, sizeof scale));
  check_result(
      unwritten<float>(kCount), kCount,
      [](float* out) { scale_device_table<<<kBlocks, kThreads>>>(out); },
      [&](float* out, int i) { out[i] = scale * table[i]; });
}

void check_constants() {
  const std::vector<float> table = whole_numbers<float>(32);
  CUDA_CHECK(cudaMemcpyToSymbol(constant_table, table.data(), table.size() * sizeof(float)));
  check_result(
      unwritten<float>(kCount), kCount,
      [](float* out) { load_constants<<<kBlocks, kThreads>>>(out); },
      [&](float* out, int i) { out[i] = table[i % 32] + table[i / kThreads]; });
}

// ---- The cases ----

std::vector<int> from_to(int first, int last) {
  return generated<int>(last - first + 1, [=](int i) { return first + i; });
}

void add_patterns(std::vector<Case>& cases) {
  add_family(cases, "load_stride", "loads with a stride of N floats", from_to(1, 33),
             [](int stride) {
               check_load(Linear{stride, 0});
             });
  add_family(cases, "load_offset", "loads that start N floats late", from_to(1, 31),
             [](int offset) {
               check_load(Linear{1, offset});
             });
  add_family(cases, "store_stride", "stores with a stride of N floats",
             {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33}, [](int stride) {
               check_store(Linear{stride, 0});
             });
  add_family(cases, "store_offset", "stores that start N floats late", {1, 3, 4, 7, 8, 9, 16, 31},
             [](int offset) {
               check_store(Linear{1, offset});
             });
  add_family(cases, "load_addresses",
             "a warp's lanes load from N addresses, each in a sector of its own",
             {1, 2, 3, 4, 8, 16}, [](int addresses) { check_load(FewAddresses{addresses}); });
  add_family(cases, "load_butterfly", "loads of element `i ^ N`", {1, 2, 16, 31, 32},
             [](int mask) { check_load(Butterfly{mask}); });
  cases.push_back({"store_reversed", "stores of each warp in descending order",
                   [] { check_store(Butterfly{31}); }});
  cases.push_back({"load_descending", "loads from the last element to the first", [] {
                     check_load(Linear{-1, kCount - 1});
                   }});
  cases.push_back({"load_descending_late", "the same, three floats from the array's start", [] {
                     check_load(Linear{-1, kCount + 2});
                   }});
  cases.push_back({"load_shuffled", "each warp's 32 floats, in a permuted order",
                   [] { check_load(Shuffled{}); }});
  cases.push_back({"store_shuffled", "the same for stores", [] { check_store(Shuffled{}); }});
  cases.push_back({"load_pitched", "a warp loads from a row; rows are 100 floats apart",
                   [] { check_load(Pitched{}); }});
  cases.push_back({"gather", "loads at indices from an array", check_gather});
  cases.push_back({"scatter", "stores at indices from an array", check_scatter});
}

void add_blocks(std::vector<Case>& cases) {
  const std::vector<std::pair<std::string, dim3>> shapes = {
      {"8x8x4", dim3(8, 8, 4)}, {"3x5x7", dim3(3, 5, 7)}, {"16x16", dim3(16, 16)},
      {"4x8x8", dim3(4, 8, 8)}, {"1x64", dim3(1, 64)},    {"64x1", dim3(64, 1)}};
  for (const auto& [name, block] : shapes) {
    cases.push_back(block_shape_case("block_shape/" + name,
                                     "copy of 20 x 18 x 10 floats with blocks of N threads", block,
                                     copy_volume));
  }
  for (const auto& [name, block] : shapes) {
    cases.push_back(block_shape_case("block_shape_turned/" + name,
                                     "the same, with x as the slowest index in memory", block,
                                     copy_volume_turned));
  }
  const auto copy_case = [](const std::string& name, const char* description, int blocks,
                            int threads, int count) {
    return scaled_case(name, description, count, 1, [=](const float* in, float* out) {
      copy<<<blocks, threads>>>(in, out, count);
    });
  };
  for (const int threads : {1, 17, 32, 33, 50, 100, 127}) {
    cases.push_back(copy_case("block_size/" + std::to_string(threads),
                              "copy with 5 blocks of N threads", 5, threads, 5 * threads));
  }
  cases.push_back(
      copy_case("copy_with_guard", "copy of 1000 floats by 1024 threads", kBlocks, kThreads, 1000));
}

void add_copies(std::vector<Case>& cases) {
  const auto add = [&](const char* name, const char* description, float factor, auto kernel,
                       int blocks = kBlocks, int threads = kThreads) {
    cases.push_back(
        scaled_case(name, description, kCount, factor,
                    [=](const float* in, float* out) { kernel<<<blocks, threads>>>(in, out); }));
  };
  const auto add_in_a_loop = [&](const char* name, void (*kernel)(const float*, float*, int)) {
    cases.push_back(
        scaled_case(name, "copy of 1000 floats by 256 threads in a loop", 1000, 1,
                    [=](const float* in, float* out) { kernel<<<2, 128>>>(in, out, 1000); }));
  };
  add_in_a_loop("copy_grid_stride/rolled", copy_grid_stride<1>);
  add_in_a_loop("copy_grid_stride/unrolled", copy_grid_stride<4>);
  add("copy_four_a_thread/rolled", "each thread copies four adjacent floats", 1,
      copy_four_a_thread<1>, 1, kCount / 4);
  add("copy_four_a_thread/unrolled", "each thread copies four adjacent floats", 1,
      copy_four_a_thread<4>, 1, kCount / 4);
  add("cached_loads", "`__ldg`, `__ldcg` and `__ldcs` of one element, stored with `__stcg`", 3,
      copy_cached);
  add("volatile", "two `volatile` loads of one element", 2, copy_volatile);
  add("load_again_after_store", "an element is loaded, and again after a store that may change it",
      2, load_again_after_store);
  add("load_twice", "an element is used twice in one expression", 3, load_twice);
  cases.push_back({"device_variables", "a `__device__` array times a `__device__` number",
                   check_device_variables});
  cases.push_back(
      {"constants", "`__constant__` loads, which no global counter counts", check_constants});
}

}  // namespace

std::vector<Case> global_memory_cases() {
  std::vector<Case> cases;
  add_patterns(cases);
  add_blocks(cases);
  add_copies(cases);
  return cases;
}

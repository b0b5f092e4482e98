#include "cases.h"
#include "values.h"

// Patterns of the words of shared memory that the lanes of a warp use.

namespace {

constexpr int kBlocks = 4, kWarp = 32;

// ---- One warp per block, one access at index(lane) ----

constexpr int kCapacity = 33 * kWarp;  // elements

template <typename T, typename Index>
__global__ void shared_load_at(const T* in, Index index, T* out) {
  __shared__ T values[kCapacity];
  for (int i = threadIdx.x; i < kCapacity; i += blockDim.x) values[i] = in[i];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[index(threadIdx.x)];
}

template <typename T, typename Index>
__global__ void shared_store_at(const T* in, Index index, T* out) {
  __shared__ T values[kCapacity];
  values[index(threadIdx.x)] = in[threadIdx.x];
  __syncthreads();
  // Another lane's element: nvcc would keep a thread's own element in a register.
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[index(blockDim.x - 1 - threadIdx.x)];
}

struct Linear {
  int stride;
  __host__ __device__ int operator()(int lane) const { return stride * lane; }
};
// Few different elements, `apart` from each other.
struct SameBank {
  int elements, apart;
  __host__ __device__ int operator()(int lane) const { return lane % elements * apart; }
};
// `lanes` consecutive lanes use the same element.
struct Shared {
  int lanes;
  __host__ __device__ int operator()(int lane) const { return lane / lanes; }
};
struct Butterfly {
  int mask;
  __host__ __device__ int operator()(int lane) const { return lane ^ mask; }
};
struct Shuffled {
  __host__ __device__ int operator()(int lane) const { return (13 * lane + 5) % kWarp; }
};
struct Random {
  __host__ __device__ int operator()(int lane) const { return (lane * lane * 37 + 11) % kCapacity; }
};

template <typename T, typename Index>
void check_load(Index index, int threads = kWarp) {
  check(
      patterned<T>(kCapacity), unwritten<T>(kBlocks * threads), kBlocks * threads,
      [=](const T* in, T* out) { shared_load_at<<<kBlocks, threads>>>(in, index, out); },
      [=](const T* in, T* out, int i) { out[i] = in[index(i % threads)]; });
}

template <typename T, typename Index>
void check_store(Index index) {
  check(
      patterned<T>(kWarp), unwritten<T>(kBlocks * kWarp), kBlocks * kWarp,
      [=](const T* in, T* out) { shared_store_at<<<kBlocks, kWarp>>>(in, index, out); },
      [](const T* in, T* out, int i) { out[i] = in[kWarp - 1 - i % kWarp]; });
}

// ---- Tiles ----

constexpr int kTile = 32, kRowsAtOnce = 8;

// A block of 32 x 8 threads transposes a tile: stores along rows, loads down columns.
template <typename T, int kPadding>
__global__ void column_loads(const T* in, T* out) {
  __shared__ T tile[kTile][kTile + kPadding];
  const int x = threadIdx.x, first = threadIdx.y;
  for (int y = first; y < first + kTile; y += kRowsAtOnce) tile[y][x] = in[y * kTile + x];
  __syncthreads();
  for (int y = first; y < first + kTile; y += kRowsAtOnce) out[y * kTile + x] = tile[x][y];
}

// The same with stores down columns and loads along rows.
template <typename T, int kPadding>
__global__ void column_stores(const T* in, T* out) {
  __shared__ T tile[kTile][kTile + kPadding];
  const int x = threadIdx.x, first = threadIdx.y;
  for (int y = first; y < first + kTile; y += kRowsAtOnce) tile[x][y] = in[y * kTile + x];
  __syncthreads();
  for (int y = first; y < first + kTile; y += kRowsAtOnce) out[y * kTile + x] = tile[y][x];
}

template <typename T>
__global__ void swizzled_columns(const T* in, T* out) {
  __shared__ T tile[kTile][kTile];
  const int x = threadIdx.x, first = threadIdx.y;
  for (int y = first; y < first + kTile; y += kRowsAtOnce) tile[y][x ^ y] = in[y * kTile + x];
  __syncthreads();
  for (int y = first; y < first + kTile; y += kRowsAtOnce) out[y * kTile + x] = tile[x][y ^ x];
}

// The kernel transposes a tile of `side` x `side` elements.
template <typename T>
Case transpose_case(const std::string& name, const char* description, int side, dim3 block,
                    void (*kernel)(const T*, T*)) {
  return {name, description, [=] {
            check(
                patterned<T>(side * side), unwritten<T>(side * side), side * side,
                [=](const T* in, T* out) { kernel<<<1, block>>>(in, out); },
                [=](const T* in, T* out, int i) { out[i] = in[i % side * side + i / side]; });
          }};
}

// Each thread sums its own row, which nvcc can load four elements at a time.
template <int kPadding, int kUnroll>
__global__ void sum_own_row(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + kPadding];
  const int x = threadIdx.x;
  for (int y = 0; y < kTile; ++y) tile[y][x] = in[y * kTile + x];
  __syncthreads();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < kTile; ++k) sum += tile[x][k];
  out[x] = sum;
}

template <int kPadding, int kUnroll>
void check_sum_own_row() {
  check(
      whole_numbers<float>(kTile * kTile), zeros<float>(kTile), kTile * kTile,
      [](const float* in, float* out) { sum_own_row<kPadding, kUnroll><<<1, kTile>>>(in, out); },
      [](const float* in, float* out, int i) { out[i / kTile] += in[i]; });
}

// ---- Dynamic shared memory, two-dimensional blocks ----

__global__ void reverse_block(const int* in, int* out) {
  extern __shared__ int values[];
  const int first = blockIdx.x * blockDim.x, last = blockDim.x - 1;
  values[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  out[first + threadIdx.x] = values[last - threadIdx.x];
}

void check_reverse_block() {
  constexpr int kThreads = 200;
  check(
      whole_numbers<int>(kBlocks * kThreads), unwritten<int>(kBlocks * kThreads),
      kBlocks * kThreads,
      [](const int* in, int* out) {
        reverse_block<<<kBlocks, kThreads, kThreads * sizeof(int)>>>(in, out);
      },
      [](const int* in, int* out, int i) {
        out[i] = in[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
      });
}

// A warp of 16 x 2 threads reads two columns.
__global__ void columns_of_16_by_16(const float* in, float* out) {
  __shared__ float tile[16][16];
  const int i = threadIdx.y * 16 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x][threadIdx.y];
}

// ---- The cases ----

template <typename T>
void add_strides(std::vector<Case>& cases, const std::string& type,
                 const std::vector<int>& strides) {
  add_family(cases, "shared_load_stride/" + type, "loads with a stride of N elements", strides,
             [](int stride) { check_load<T>(Linear{stride}); });
  add_family(cases, "shared_store_stride/" + type, "stores with a stride of N elements", strides,
             [](int stride) { check_store<T>(Linear{stride}); });
}

template <typename T>
void add_patterns(std::vector<Case>& cases, const std::string& type) {
  add_family(cases, "shared_load_same/" + type, "N consecutive lanes load the same element",
             {2, 4, 8, 16, 32}, [](int lanes) { check_load<T>(Shared{lanes}); });
  constexpr int kApart = 128 / static_cast<int>(sizeof(T));
  add_family(cases, "shared_load_same_bank/" + type,
             "a warp loads N elements that start in one bank", {2, 3, 4, 8}, [](int elements) {
               check_load<T>(SameBank{elements, kApart});
             });
  add_family(cases, "shared_load_butterfly/" + type, "loads of element `lane ^ N`", {1, 8, 16, 31},
             [](int mask) { check_load<T>(Butterfly{mask}); });
  add_family(cases, "shared_load_lanes/" + type, "loads by N lanes, with a stride of 4 elements",
             {1, 10, 17, 24}, [](int threads) { check_load<T>(Linear{4}, threads); });
  cases.push_back({"shared_load_shuffled/" + type,
                   "loads of a warp's 32 elements, in a permuted order",
                   [] { check_load<T>(Shuffled{}); }});
  cases.push_back(
      {"shared_load_random/" + type, "loads of random elements", [] { check_load<T>(Random{}); }});
}

template <typename T, int kPadding>
void add_tile(std::vector<Case>& cases, const std::string& type) {
  const std::string member = type + "/" + std::to_string(kPadding);
  cases.push_back(transpose_case<T>("tile_column_loads/" + member,
                                    "columns of `tile[32][32 + N]` are loaded", kTile,
                                    dim3(kTile, kRowsAtOnce), column_loads<T, kPadding>));
  cases.push_back(transpose_case<T>("tile_column_stores/" + member,
                                    "columns of `tile[32][32 + N]` are stored", kTile,
                                    dim3(kTile, kRowsAtOnce), column_stores<T, kPadding>));
}

template <typename T>
void add_tiles(std::vector<Case>& cases, const std::string& type) {
  add_tile<T, 0>(cases, type);
  add_tile<T, 1>(cases, type);
  add_tile<T, 2>(cases, type);
  add_tile<T, 3>(cases, type);
  add_tile<T, 4>(cases, type);
  cases.push_back(transpose_case<T>("tile_swizzled/" + type,
                                    "`tile[y][x ^ y]` is stored, `tile[x][y ^ x]` loaded", kTile,
                                    dim3(kTile, kRowsAtOnce), swizzled_columns<T>));
}

}  // namespace

std::vector<Case> shared_memory_cases() {
  std::vector<Case> cases;
  add_strides<unsigned char>(cases, "uchar", {1, 2, 4, 5, 32});
  add_strides<short>(cases, "short", {1, 2, 3, 16, 32});
  add_strides<float>(cases, "float", {1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33});
  add_strides<double>(cases, "double", {1, 2, 3, 4, 5, 8, 16, 17});
  add_strides<float4>(cases, "float4", {1, 2, 3, 4, 5, 8});
  add_patterns<float>(cases, "float");
  add_patterns<double>(cases, "double");
  add_patterns<float4>(cases, "float4");
  add_tiles<float>(cases, "float");
  add_tiles<double>(cases, "double");
  add_tiles<float4>(cases, "float4");
  cases.push_back({"sum_own_row/rolled", "each thread sums its row of `tile[32][32]`",
                   check_sum_own_row<0, 1>});
  cases.push_back({"sum_own_row/unrolled", "each thread sums its row of `tile[32][32]`",
                   check_sum_own_row<0, 8>});
  cases.push_back({"sum_own_padded_row/rolled", "each thread sums its row of `tile[32][33]`",
                   check_sum_own_row<1, 1>});
  cases.push_back({"sum_own_padded_row/unrolled", "each thread sums its row of `tile[32][33]`",
                   check_sum_own_row<1, 8>});
  cases.push_back({"dynamic_shared", "blocks of 200 are reversed in dynamic shared memory",
                   check_reverse_block});
  cases.push_back(transpose_case<float>("columns_of_16_by_16",
                                        "columns of `tile[16][16]`, block 16 x 16", 16,
                                        dim3(16, 16), columns_of_16_by_16));
  return cases;
}

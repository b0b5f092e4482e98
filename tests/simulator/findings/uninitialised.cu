#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <string>
#include <vector>

#include "marked_kernels.h"
#include "tests/simulator/expect_findings.h"

// Reads of unwritten memory, and the operations that count as writing it.

namespace {

template <typename T>
__global__ void read_kernel(const T* in, int first, T* out) {
  // finds in fresh, rows, half_a_vector, bytes: uninitialised load by 0
  // finds in all_fresh: uninitialised, 100 times
  out[threadIdx.x] = in[first + static_cast<int>(threadIdx.x)];
}

__global__ void write_kernel(int* out, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < size) out[i] = i;
}

void read_fresh(Buffers d, bool right) {
  DeviceBuffer<int> d_in(100);
  if (right) d_in.fill_bytes(0);
  read_kernel<<<1, 1>>>(d_in.data(), 17, d.out);
}

void read_all_twice(Buffers d, bool right) {
  DeviceBuffer<int> d_in(100);
  if (right) write_kernel<<<1, 100>>>(d_in.data(), 100);
  for (int round = 0; round < 2; ++round) read_kernel<<<1, 100>>>(d_in.data(), 0, d.out);
}

void read_rows(Buffers d, bool right) {
  DeviceBuffer<int> d_in(100);
  CUDA_CHECK(cudaMemset2D(d_in.data(), 40, 0, 12, 10));  // 3 of 10 ints per row
  for (int row = 0; row < 10; ++row) read_kernel<<<1, 3>>>(d_in.data(), 10 * row, d.out);
  if (!right) read_kernel<<<1, 1>>>(d_in.data(), 13, d.out);
}

void read_half_a_vector(Buffers, bool right) {
  DeviceBuffer<float4> d_in(25), d_out(1);
  CUDA_CHECK(cudaMemset(d_in.data(), 0, 24));
  read_kernel<<<1, 1>>>(d_in.data(), right ? 0 : 1, d_out.data());
}

// A byte must be written itself; a word must have at least one written byte.
void read_bytes(Buffers d, bool right) {
  DeviceBuffer<int> d_in(100);
  char* const d_bytes = reinterpret_cast<char*>(d_in.data());
  CUDA_CHECK(cudaMemset(d_bytes, 0, 3));
  if (right) read_kernel<<<1, 1>>>(d_in.data(), 0, d.out);
  const int first = right ? -4 : 3;
  read_kernel<<<1, right ? 3 : 1>>>(right ? d_bytes + 4 : d_bytes, first,
                                    reinterpret_cast<char*>(d.out));
}

// ---- Shared memory ----

__global__ void written_by_the_block_before(int* out, bool right) {
  __shared__ int value;
  if (right || blockIdx.x == 0) value = 1;
  out[blockIdx.x] = value;  // finds: uninitialised, 2 times
}

__global__ void dynamic_memory(int* out, bool right) {
  extern __shared__ int dynamic_values[];
  if (threadIdx.x < (right ? 64 : 63)) dynamic_values[threadIdx.x] = 1;
  out[threadIdx.x] = dynamic_values[threadIdx.x];  // finds: uninitialised load by 63
}

// The load always comes first.
__global__ void load_before_the_store(int* out, bool right) {
  __shared__ int values[32];
  if (right) values[threadIdx.x] = 0;
  __syncwarp();
  out[threadIdx.x] = values[threadIdx.x ^ 1];  // finds: uninitialised, 32 times
  __syncwarp();
  values[threadIdx.x] = 1;
}

// No code writes the array, so the compiler could take what is read for zeros.
__global__ void never_written_kernel(int* out) {
  __shared__ int values[32];
  out[threadIdx.x] =
      values[threadIdx.x];  // finds in never_written: uninitialised load by 0, 32 times
}

void never_written(Buffers d, bool right) {
  if (!right) never_written_kernel<<<1, 32>>>(d.out);
}

INSTANTIATE_TEST_SUITE_P(Uninitialised, MarkedKernels,
                         marked_kernels({
                             {"fresh", read_fresh,
                              "element 17 of 100 of an allocation of 400 bytes in global memory is "
                              "read before anything has written it...cudaMemcpy or cudaMemset"},
                             {"all_fresh", read_all_twice},
                             {"rows", read_rows, "element 13 of 100"},
                             {"half_a_vector", read_half_a_vector, "element 1 of 25"},
                             {"bytes", read_bytes, "element 3 of 400"},
                             {"written_by_the_block_before",
                              launch(written_by_the_block_before, 3, 1)},
                             {"dynamic_memory", launch(dynamic_memory, 1, 64, 256),
                              "element 63 of 64 of extern __shared__ memory"},
                             {"load_before_the_store", launch(load_before_the_store, 1, 32)},
                             {"never_written", never_written, "element 0 of 32 of values"},
                         }),
                         case_name);

class Uninitialised : public FindingsTest {
 protected:
  DeviceBuffer<int> d_in{100}, d_out{1024};
};

TEST_F(Uninitialised, WrittenByTheRuntime) {
  const std::vector<int> h_values(50, 1);
  CUDA_CHECK(cudaMemset(d_in.data(), 0, 200));
  CUDA_CHECK(cudaMemcpy(d_in.data() + 50, h_values.data(), 200, cudaMemcpyHostToDevice));
  read_kernel<<<1, 100>>>(d_in.data(), 0, d_out.data());
  expect_nothing_found();
}

TEST_F(Uninitialised, AddressesThatAreUsedAgain) {
  for (int round = 0; round < 3; ++round) {
    DeviceBuffer<int> d_values(100);
    read_kernel<<<1, 1>>>(d_values.data(), 99, d_out.data());
    EXPECT_EQ(only_finding().kind, "uninitialised");
    d_values.fill_bytes(0);
    read_kernel<<<1, 100>>>(d_values.data(), 0, d_out.data());
    expect_nothing_found();
  }
}

TEST_F(Uninitialised, PinnedAndManagedMemoryCanBeWrittenByTheHost) {
  int *h_pinned = nullptr, *managed = nullptr;
  CUDA_CHECK(cudaMallocHost(&h_pinned, 40));
  CUDA_CHECK(cudaMallocManaged(&managed, 40));
  read_kernel<<<1, 10>>>(h_pinned, 0, d_out.data());
  read_kernel<<<1, 10>>>(managed, 0, d_out.data());
  expect_nothing_found();
}

__device__ int variable[4];
__global__ void read_variable_kernel(int* out) { out[threadIdx.x] = variable[threadIdx.x]; }

TEST_F(Uninitialised, VariablesStartAsZero) {
  read_variable_kernel<<<1, 4>>>(d_out.data());
  expect_nothing_found();
  const int values[4] = {1, 2, 3, 4};
  CUDA_CHECK(cudaMemcpyToSymbol(variable, values, sizeof values));
  read_variable_kernel<<<1, 4>>>(d_out.data());
  expect_nothing_found();
}

TEST_F(Uninitialised, CopiedFromASymbol) {
  CUDA_CHECK(
      cudaMemcpyFromSymbol(d_in.data(), variable, sizeof(int) * 4, 0, cudaMemcpyDeviceToDevice));
  read_kernel<<<1, 4>>>(d_in.data(), 0, d_out.data());
  expect_nothing_found();
}

struct Shape {
  __device__ virtual int corners() const = 0;
};
struct Square final : Shape {
  __device__ explicit Square(int cut) : cut(cut) {}
  __device__ int corners() const override { return 4 + cut; }
  int cut;
};
__global__ void build_kernel(Square* squares) { new (&squares[threadIdx.x]) Square(1); }
__global__ void corners_kernel(const Square* squares, int* out) {
  const Shape& shape = squares[threadIdx.x];
  out[threadIdx.x] = shape.corners();
}
TEST_F(Uninitialised, AnObjectWithVirtualFunctions) {
  DeviceBuffer<char> d_squares(32 * sizeof(Square));
  DeviceBuffer<int> d_corners(32);
  auto* const squares = reinterpret_cast<Square*>(d_squares.data());
  build_kernel<<<1, 32>>>(squares);
  corners_kernel<<<1, 32>>>(squares, d_corners.data());
  EXPECT_EQ(d_corners.to_host(), std::vector<int>(32, 5));
}

// ---- Copies ----

// The host reads an array that a kernel has written up to an element.
template <typename T>
void copy_to_host(const DeviceBuffer<T>& d_values) {
  std::vector<T> h_values(d_values.size());
  CUDA_CHECK(
      cudaMemcpy(h_values.data(), d_values.data(), d_values.size_bytes(), cudaMemcpyDeviceToHost));
}
TEST_F(Uninitialised, CopyWithoutAKernelBeforeIt) {
  copy_to_host(DeviceBuffer<int>(100));
  EXPECT_NE(facts_of(only_finding()).find(" launch=not_yet"), std::string::npos);
  write_kernel<<<1, 2000>>>(d_in.data(), 100);
  const int line = __LINE__ - 1;
  copy_to_host(d_in);
  const Finding refused = only_finding();
  EXPECT_NE(refused.message.find("1024. The launch returned cudaErrorInv"), std::string::npos);
  EXPECT_NE(facts_of(refused).find(" launch=refused why=large_block"), std::string::npos);
  EXPECT_EQ(refused.places.back().line, line);
}

TEST_F(Uninitialised, CopyOfWrittenMemory) {
  write_kernel<<<1, 128>>>(d_in.data(), 99);
  std::vector<int> h_in(100);
  CUDA_CHECK(cudaMemcpy(h_in.data(), d_in.data(), 99 * sizeof(int), cudaMemcpyDeviceToHost));
  expect_nothing_found();
  CUDA_CHECK(cudaMemcpyAsync(h_in.data(), d_in.data(), 400, cudaMemcpyDefault));
  EXPECT_NE(only_finding().message.find("cudaMemcpyAsync"), std::string::npos);
}

TEST_F(Uninitialised, CopyOfRowsToTheHost) {
  CUDA_CHECK(cudaMemset2D(d_in.data(), 40, 0, 12, 10));  // 3 of 10 ints per row
  std::vector<int> h_in(100);
  CUDA_CHECK(cudaMemcpy2D(h_in.data(), 40, d_in.data(), 40, 12, 10, cudaMemcpyDeviceToHost));
  expect_nothing_found();
  CUDA_CHECK(cudaMemcpy2D(h_in.data(), 40, d_in.data(), 40, 16, 10, cudaMemcpyDeviceToHost));
  const Finding finding = only_finding();
  EXPECT_NE(finding.message.find("cudaMemcpy2D copies 4 bytes that nothing has written, starting "
                                 "at byte 12 of"),
            std::string::npos)
      << finding.message;
  EXPECT_EQ(finding.count, 10u);
}

TEST_F(Uninitialised, CopyToPinnedMemoryIsACopyToTheHost) {
  int* h_pinned = nullptr;
  CUDA_CHECK(cudaMallocHost(&h_pinned, 400));
  CUDA_CHECK(cudaMemcpy(h_pinned, d_in.data(), 400, cudaMemcpyDeviceToHost));
  EXPECT_EQ(only_finding().kind, "uninitialised");
}

struct CopyCase {
  std::size_t to, from, bytes;  // in bytes
};

// A copy within the device is not a finding; its unwritten elements stay unwritten in the copy.
TEST_F(Uninitialised, CopyWithinTheDevice) {
  const CopyCase cases[] = {{0, 0, 200}, {3, 0, 197}, {0, 5, 195}, {16, 1, 100}, {7, 64, 1}};
  for (const auto& [to, from, bytes] : cases) {
    DeviceBuffer<char> d_from(200), d_to(200), d_bytes(1);
    CUDA_CHECK(cudaMemset(d_from.data(), 0, 200));
    CUDA_CHECK(cudaMemset(d_to.data(), 0, to));
    CUDA_CHECK(cudaMemcpy(d_to.data() + to, d_from.data() + from, bytes, cudaMemcpyDeviceToDevice));
    for (std::size_t i = 0; i < 200; ++i) {
      read_kernel<<<1, 1>>>(d_to.data(), static_cast<int>(i), d_bytes.data());
      EXPECT_EQ(take_findings().size(), i < to + bytes ? 0u : 1u) << to << ' ' << from << ' ' << i;
    }
  }
}

TEST_F(Uninitialised, CopyOfUnwrittenMemoryWithinTheDevice) {
  DeviceBuffer<int> d_copy(100);
  d_copy.fill_bytes(0);
  write_kernel<<<1, 128>>>(d_in.data(), 50);
  CUDA_CHECK(cudaMemcpy(d_copy.data(), d_in.data(), 400, cudaMemcpyDeviceToDevice));
  read_kernel<<<1, 50>>>(d_copy.data(), 0, d_out.data());
  expect_nothing_found();
  read_kernel<<<1, 100>>>(d_copy.data(), 0, d_out.data());
  EXPECT_EQ(only_finding().count, 50u);
}

TEST_F(Uninitialised, CopyOntoItself) {
  DeviceBuffer<char> d_bytes(100), d_one(1);
  CUDA_CHECK(cudaMemset(d_bytes.data(), 0, 40));
  CUDA_CHECK(
      cudaMemcpy(d_bytes.data() + 3, d_bytes.data(), 90, cudaMemcpyDeviceToDevice));  // to 43
  read_kernel<<<1, 43>>>(d_bytes.data(), 0, d_bytes.data());
  expect_nothing_found();
  read_kernel<<<1, 1>>>(d_bytes.data(), 43, d_one.data());
  EXPECT_EQ(only_finding().kind, "uninitialised");
  CUDA_CHECK(cudaMemcpy(d_bytes.data(), d_bytes.data() + 30, 60, cudaMemcpyDeviceToDevice));
  read_kernel<<<1, 14>>>(d_bytes.data(), 0, d_bytes.data());
  expect_nothing_found();
  read_kernel<<<1, 1>>>(d_bytes.data(), 14, d_one.data());
  EXPECT_EQ(only_finding().kind, "uninitialised");
}

struct Tagged {  // 3 unused bytes after the tag
  char tag;
  int value;
};

__global__ void tag_kernel(Tagged* out) {
  out[threadIdx.x].tag = 1;
  out[threadIdx.x].value = 2;
}

__global__ void bytes_kernel(char* out, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < size) out[i] = 1;
}

TEST_F(Uninitialised, CopyOfStructuresWithUnusedBytes) {
  DeviceBuffer<Tagged> d_tagged(20), d_one(1);
  tag_kernel<<<1, 20>>>(d_tagged.data());
  tag_kernel<<<1, 1>>>(d_one.data());
  copy_to_host(d_tagged);
  copy_to_host(d_one);
  expect_nothing_found();
}

TEST_F(Uninitialised, CopyOfPartlyWrittenBytes) {
  for (const int size : {99, 98, 97, 95}) {
    DeviceBuffer<char> d_bytes(100);
    bytes_kernel<<<1, 128>>>(d_bytes.data(), size);
    copy_to_host(d_bytes);
    EXPECT_NE(only_finding().message.find("at byte "), std::string::npos) << size;
    copy_to_host(d_bytes);  // once is enough
    expect_nothing_found();
  }
}

// Lanes of one request use both kinds of memory: memory that the host may have written is not
// checked, and stores to the other kind are recorded.
__global__ void store_to_either_kernel(int* one, int* other) {
  const int i = static_cast<int>(threadIdx.x);
  int* const out = i % 2 == 0 ? one : other;
  out[i] = i;
}

TEST_F(Uninitialised, StoresToManagedAndOtherMemory) {
  int* managed = nullptr;
  CUDA_CHECK(cudaMallocManaged(&managed, 128));
  store_to_either_kernel<<<1, 32>>>(d_in.data(), managed);
  store_to_either_kernel<<<1, 32>>>(managed, d_in.data());
  read_kernel<<<1, 32>>>(d_in.data(), 0, d_out.data());
  expect_nothing_found();
  CUDA_CHECK(cudaFree(managed));
}

__global__ void load_from_either_kernel(const int* written, const int* managed, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= 8) return;  // these lanes diverge, and their paths join them again
  for (int turn = 0; turn <= i % 3; ++turn) {
    const int* const in = (i + turn) % 2 == 0 ? written : managed;
    out[8 * turn + i] = in[i];
  }
}

TEST_F(Uninitialised, LoadsFromManagedMemoryByLanesThatDiverge) {
  int* managed = nullptr;
  CUDA_CHECK(cudaMallocManaged(&managed, 128));
  write_kernel<<<1, 32>>>(d_in.data(), 32);
  load_from_either_kernel<<<1, 32>>>(d_in.data(), managed, d_out.data());
  expect_nothing_found();
  CUDA_CHECK(cudaFree(managed));
}

}  // namespace

#include "measured_cases.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

// Global memory: past its ends, at a wrong alignment, or through a pointer to something else.

namespace {

template <bool kRight>
__global__ void number_kernel(int* out, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  // finds in last_chunk_too_long: out_of_bounds
  if (kRight ? i < size : i <= size) out[i] = i;  // finds in past_the_end: out_of_bounds
}

void past_the_end(const Buffers&, bool right) {
  DeviceBuffer<int> d_out(100);
  const auto kernel = right ? number_kernel<true> : number_kernel<false>;
  kernel<<<2, 64>>>(d_out.data(), 100);
}

template <bool kRight>
__global__ void grid_stride_kernel(int* out, int size) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
       kRight ? i < size : i <= size; i += stride) {
    out[i] = i;  // finds in into_the_next_allocation: out_of_bounds
  }
}

void into_the_next_allocation(const Buffers&, bool right) {
  DeviceBuffer<int> d_out(128);  // 512 bytes: on a GPU the next allocation follows without a gap
  const DeviceBuffer<int> d_next = zeros<int>(128);
  const auto kernel = right ? grid_stride_kernel<true> : grid_stride_kernel<false>;
  kernel<<<3, 21>>>(d_out.data(), 128);
}

template <bool kRight>
__global__ void before_the_start(const int* in, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  if (kRight && i == 0) return;
  out[i] = in[i] - in[i - 1];  // finds: out_of_bounds
}

template <bool kRight>
__global__ void last_element_kernel(float* values, std::size_t size) {
  const std::size_t last = size - 1 - threadIdx.x;
  values[kRight ? last : last * sizeof(float)] = 0;  // finds in byte_offset_as_index: out_of_bounds
}

void byte_offset_as_index(const Buffers&, bool right) {
  constexpr std::size_t kSize = std::size_t{16} << 20;  // the wrong index is 192 MB past the end
  DeviceBuffer<float> d_values(kSize);
  const auto kernel = right ? last_element_kernel<true> : last_element_kernel<false>;
  kernel<<<1, 32>>>(d_values.data(), kSize);
}

template <bool kRight>
__global__ void rows_kernel(float* out, std::size_t pitch_bytes) {
  const std::size_t start = blockIdx.x * pitch_bytes;
  float* const row =
      kRight ? reinterpret_cast<float*>(reinterpret_cast<char*>(out) + start) : out + start;
  row[threadIdx.x] = 1;  // finds in pitch_in_elements: out_of_bounds
}

void pitch_in_elements(const Buffers&, bool right) {
  constexpr std::size_t kColumns = 100, kRows = 50;
  float* d_out = nullptr;
  std::size_t pitch_bytes = 0;
  CUDA_CHECK(cudaMallocPitch(&d_out, &pitch_bytes, kColumns * sizeof(float), kRows));
  const auto kernel = right ? rows_kernel<true> : rows_kernel<false>;
  kernel<<<kRows, kColumns>>>(d_out, pitch_bytes);
  CUDA_CHECK(cudaFree(d_out));
}

__global__ void fill_kernel(int* out, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) out[i] = 7;  // finds in elements_as_bytes: out_of_bounds
}

void elements_as_bytes(const Buffers&, bool right) {
  int* d_out = nullptr;
  CUDA_CHECK(cudaMalloc(&d_out, right ? 1000 * sizeof(int) : 1000));
  fill_kernel<<<4, 250>>>(d_out, 1000);
  CUDA_CHECK(cudaFree(d_out));
}

template <bool kRight>
__global__ void matrix_kernel(float* out, int rows, int cols) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (col < cols && (!kRight || row < rows))
    out[row * cols + col] = 1;  // finds in rows_not_guarded: out_of_bounds
}

void rows_not_guarded(const Buffers&, bool right) {
  DeviceBuffer<float> d_out(13 * 17);
  const auto kernel = right ? matrix_kernel<true> : matrix_kernel<false>;
  kernel<<<dim3(3, 3), dim3(7, 5)>>>(d_out.data(), 13, 17);
}

void last_chunk_too_long(const Buffers&, bool right) {
  constexpr int kSize = 250, kChunk = 64;
  DeviceBuffer<int> d_values(kSize);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));
  for (int first = 0; first < kSize; first += kChunk) {
    const int left = kSize - first;
    number_kernel<true><<<1, kChunk, 0, streams[first / kChunk % 2]>>>(
        d_values.data() + first, right && left < kChunk ? left : kChunk);
    CUDA_CHECK(cudaGetLastError());
  }
  for (cudaStream_t stream : streams) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
}

template <typename T>
__global__ void field_kernel(const char* bytes, T* out) {
  *out = *reinterpret_cast<const T*>(bytes);  // finds in misaligned_*: misaligned
}

// A field of a packed record, half its size after an aligned address.
template <typename T>
void misaligned(const Buffers&, bool right) {
  const DeviceBuffer<char> d_bytes = zeros<char>(64);
  DeviceBuffer<T> d_out(1);
  field_kernel<<<1, 1>>>(d_bytes.data() + (right ? sizeof(T) : sizeof(T) / 2), d_out.data());
}

template <bool kRight>
__global__ void add_bias_kernel(float* values, const float* optional_bias) {
  if (!kRight || optional_bias)
    values[threadIdx.x] += optional_bias[threadIdx.x];  // finds in null_pointer: null_pointer
}

void null_pointer(const Buffers&, bool right) {
  DeviceBuffer<float> d_values = zeros<float>(32);
  const auto kernel = right ? add_bias_kernel<true> : add_bias_kernel<false>;
  kernel<<<1, 32>>>(d_values.data(), nullptr);
}

__global__ void copy_kernel(const int* in, int* out) {
  // finds in freed_memory: freed_memory
  const int value = in[threadIdx.x];  // finds in host_pointer: host_pointer
  out[threadIdx.x] = value;
}

void host_pointer(const Buffers&, bool right) {
  const std::vector<int> h_in(64, 1);
  const DeviceBuffer<int> d_in(h_in);
  DeviceBuffer<int> d_out(64);
  copy_kernel<<<1, 64>>>(right ? d_in.data() : h_in.data(), d_out.data());
}

void freed_memory(const Buffers&, bool right) {
  int* d_in = nullptr;
  DeviceBuffer<int> d_out(64);
  CUDA_CHECK(cudaMalloc(&d_in, 64 * sizeof(int)));
  CUDA_CHECK(cudaMemset(d_in, 0, 64 * sizeof(int)));
  if (!right) CUDA_CHECK(cudaFree(d_in));
  copy_kernel<<<1, 64>>>(d_in, d_out.data());
  if (right) CUDA_CHECK(cudaFree(d_in));
}

template <bool kRight>
__global__ void double_kernel(int* values, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (kRight ? i < size : i <= size)
    values[i] *= 2;  // finds in managed_past_the_end: out_of_bounds
}

void managed_past_the_end(const Buffers&, bool right) {
  int* values = nullptr;
  CUDA_CHECK(cudaMallocManaged(&values, 100 * sizeof(int)));
  for (int i = 0; i < 100; ++i) values[i] = i;
  const auto kernel = right ? double_kernel<true> : double_kernel<false>;
  kernel<<<1, 128>>>(values, 100);
  CUDA_CHECK(cudaDeviceSynchronize());
  std::printf("%d\n", values[99]);
  CUDA_CHECK(cudaFree(values));
}

void double_free(const Buffers&, bool right) {
  int* d_values = nullptr;
  CUDA_CHECK(cudaMalloc(&d_values, 64));
  CUDA_CHECK(cudaFree(d_values));
  if (!right) CUDA_CHECK(cudaFree(d_values));  // finds in double_free: cuda_error
}

void free_of_a_part(const Buffers&, bool right) {
  int* d_values = nullptr;
  CUDA_CHECK(cudaMalloc(&d_values, 64));
  CUDA_CHECK(cudaFree(right ? d_values : d_values + 4));  // finds in free_of_a_part: cuda_error
}

void copy_too_long(const Buffers&, bool right) {
  const DeviceBuffer<int> d_in = zeros<int>(100);
  std::vector<int> h_out(200);
  const std::size_t bytes = (right ? 100 : 200) * sizeof(int);
  // finds in copy_too_long: refused_copy
  CUDA_CHECK(cudaMemcpy(h_out.data(), d_in.data(), bytes, cudaMemcpyDeviceToHost));
}

void fill_too_long(const Buffers&, bool right) {
  DeviceBuffer<int> d_values(100);
  const std::size_t bytes = (right ? 100 : 200) * sizeof(int);
  CUDA_CHECK(cudaMemset(d_values.data(), 0, bytes));  // finds in fill_too_long: cuda_error
}

void device_pointer_on_host(const Buffers&, bool right) {
  const DeviceBuffer<int> d_in = zeros<int>(4);
  const std::vector<int> h_in = d_in.to_host();
  const int* const in = right ? h_in.data() : d_in.data();
  std::printf("%d\n", in[0]);  // finds in device_pointer_on_host: device_pointer_on_host load
}

}  // namespace

MarkedFile global_memory_cases() {
  std::vector<MarkedCase> cases = {
      {"past_the_end", "stores one element past the end", past_the_end},
      {"into_the_next_allocation",
       "stores one element past the end, where the next allocation begins",
       into_the_next_allocation},
      {"before_the_start", "reads the element before the first",
       pair(before_the_start<true>, before_the_start<false>, 1, 64)},
      {"byte_offset_as_index", "uses a byte offset as an index, 192 MB past the end",
       byte_offset_as_index},
      {"pitch_in_elements", "uses a pitch in bytes as a pitch in elements", pitch_in_elements},
      {"elements_as_bytes", "allocates n bytes for n ints", elements_as_bytes},
      {"rows_not_guarded", "guards the columns of a matrix, not its rows", rows_not_guarded},
      {"last_chunk_too_long", "works in chunks, in two streams; the last is too long",
       last_chunk_too_long},
      {"misaligned_2_bytes", "reads a short at an odd address", misaligned<short>},
      {"misaligned_4_bytes", "reads an int 2 bytes after a multiple of 4", misaligned<int>,
       "an address that is a multiple of 4, but this address is 2 bytes past a multiple"},
      {"misaligned_8_bytes", "reads a double 4 bytes after a multiple of 8", misaligned<double>},
      {"misaligned_16_bytes", "reads an int4 8 bytes after a multiple of 16", misaligned<int4>},
      {"null_pointer", "follows an optional pointer that is null", null_pointer, "a null pointer"},
      {"host_pointer", "is given a pointer to the host's memory", host_pointer,
       "outside device memory"},
      {"freed_memory", "is launched after cudaFree", freed_memory,
       "already released with cudaFree"},
      {"managed_past_the_end", "changes managed memory, one element past the end",
       managed_past_the_end},
      {"double_free", "frees memory twice", double_free},
      {"free_of_a_part", "frees a pointer into an allocation", free_of_a_part},
      {"copy_too_long", "copies twice as many bytes as there are", copy_too_long},
      {"fill_too_long", "fills twice as many bytes as there are", fill_too_long},
      {"device_pointer_on_host", "reads device memory on the host", device_pointer_on_host,
       "host code uses a pointer to device memory"},
  };
  return {__FILE__, std::move(cases), "global memory"};
}

#include "cases.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <vector>

// Global memory: past its ends, at a wrong alignment, or through a pointer to something else.

namespace {

template <bool kRight>
__global__ void number_kernel(int* out, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  // wrong in last_chunk_too_long: out_of_bounds
  if (kRight ? i < size : i <= size) out[i] = i;  // wrong in past_the_end: out_of_bounds
}

template <bool kRight>
void past_the_end() {
  DeviceBuffer<int> d_out(100);
  number_kernel<kRight><<<2, 64>>>(d_out.data(), 100);
  finish_kernel();
}

template <bool kRight>
__global__ void grid_stride_kernel(int* out, int size) {
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
       kRight ? i < size : i <= size; i += stride) {
    out[i] = i;  // wrong in into_the_next_allocation: out_of_bounds
  }
}

template <bool kRight>
void into_the_next_allocation() {
  DeviceBuffer<int> d_out(128);  // 512 bytes: on a GPU the next allocation follows without a gap
  const DeviceBuffer<int> d_next = zeros<int>(128);
  grid_stride_kernel<kRight><<<3, 21>>>(d_out.data(), 128);
  finish_kernel();
}

template <bool kRight>
__global__ void differences_kernel(const int* in, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  if (kRight && i == 0) return;
  out[i] = in[i] - in[i - 1];  // wrong in before_the_start: out_of_bounds
}

template <bool kRight>
void before_the_start() {
  const DeviceBuffer<int> d_in = zeros<int>(64);
  DeviceBuffer<int> d_out(64);
  differences_kernel<kRight><<<1, 64>>>(d_in.data(), d_out.data());
  finish_kernel();
}

template <bool kRight>
__global__ void last_element_kernel(float* values, std::size_t size) {
  const std::size_t last = size - 1 - threadIdx.x;
  values[kRight ? last : last * sizeof(float)] = 0;  // wrong in byte_offset_as_index: out_of_bounds
}

template <bool kRight>
void byte_offset_as_index() {
  constexpr std::size_t kSize = std::size_t{16} << 20;  // the wrong index is 192 MB past the end
  DeviceBuffer<float> d_values(kSize);
  last_element_kernel<kRight><<<1, 32>>>(d_values.data(), kSize);
  finish_kernel();
}

template <bool kRight>
__global__ void rows_kernel(float* out, std::size_t pitch_bytes) {
  const std::size_t start = blockIdx.x * pitch_bytes;
  float* const row =
      kRight ? reinterpret_cast<float*>(reinterpret_cast<char*>(out) + start) : out + start;
  row[threadIdx.x] = 1;  // wrong in pitch_in_elements: out_of_bounds
}

template <bool kRight>
void pitch_in_elements() {
  constexpr std::size_t kColumns = 100, kRows = 50;
  float* d_out = nullptr;
  std::size_t pitch_bytes = 0;
  CUDA_CHECK(cudaMallocPitch(&d_out, &pitch_bytes, kColumns * sizeof(float), kRows));
  rows_kernel<kRight><<<kRows, kColumns>>>(d_out, pitch_bytes);
  finish_kernel();
  CUDA_CHECK(cudaFree(d_out));
}

__global__ void fill_kernel(int* out, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) out[i] = 7;  // wrong in elements_as_bytes: out_of_bounds
}

template <bool kRight>
void elements_as_bytes() {
  int* d_out = nullptr;
  CUDA_CHECK(cudaMalloc(&d_out, kRight ? 1000 * sizeof(int) : 1000));
  fill_kernel<<<4, 250>>>(d_out, 1000);
  finish_kernel();
  CUDA_CHECK(cudaFree(d_out));
}

template <bool kRight>
__global__ void matrix_kernel(float* out, int rows, int cols) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (col < cols && (!kRight || row < rows))
    out[row * cols + col] = 1;  // wrong in rows_not_guarded: out_of_bounds
}

template <bool kRight>
void rows_not_guarded() {
  DeviceBuffer<float> d_out(13 * 17);
  matrix_kernel<kRight><<<dim3(3, 3), dim3(7, 5)>>>(d_out.data(), 13, 17);
  finish_kernel();
}

template <bool kRight>
void last_chunk_too_long() {
  constexpr int kSize = 250, kChunk = 64;
  DeviceBuffer<int> d_values(kSize);
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));
  for (int first = 0; first < kSize; first += kChunk) {
    const int left = kSize - first;
    number_kernel<true><<<1, kChunk, 0, streams[first / kChunk % 2]>>>(
        d_values.data() + first, kRight && left < kChunk ? left : kChunk);
    CUDA_CHECK(cudaGetLastError());
  }
  for (cudaStream_t stream : streams) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
}

template <typename T>
__global__ void field_kernel(const char* bytes, T* out) {
  *out = *reinterpret_cast<const T*>(bytes);  // wrong in misaligned_*: misaligned
}

// A field of a packed record, half its size after an aligned address.
template <typename T, bool kRight>
void misaligned() {
  const DeviceBuffer<char> d_bytes = zeros<char>(64);
  DeviceBuffer<T> d_out(1);
  field_kernel<<<1, 1>>>(d_bytes.data() + (kRight ? sizeof(T) : sizeof(T) / 2), d_out.data());
  finish_kernel();
}

template <bool kRight>
__global__ void add_bias_kernel(float* values, const float* optional_bias) {
  if (!kRight || optional_bias)
    values[threadIdx.x] += optional_bias[threadIdx.x];  // wrong in null_pointer: null_pointer
}

template <bool kRight>
void null_pointer() {
  DeviceBuffer<float> d_values = zeros<float>(32);
  add_bias_kernel<kRight><<<1, 32>>>(d_values.data(), nullptr);
  finish_kernel();
}

__global__ void copy_kernel(const int* in, int* out) {
  // wrong in freed_memory: freed_memory
  const int value = in[threadIdx.x];  // wrong in host_pointer: host_pointer
  out[threadIdx.x] = value;
}

template <bool kRight>
void host_pointer() {
  const std::vector<int> h_in(64, 1);
  const DeviceBuffer<int> d_in(h_in);
  DeviceBuffer<int> d_out(64);
  copy_kernel<<<1, 64>>>(kRight ? d_in.data() : h_in.data(), d_out.data());
  finish_kernel();
}

template <bool kRight>
void freed_memory() {
  int* d_in = nullptr;
  DeviceBuffer<int> d_out(64);
  CUDA_CHECK(cudaMalloc(&d_in, 64 * sizeof(int)));
  CUDA_CHECK(cudaMemset(d_in, 0, 64 * sizeof(int)));
  if (!kRight) CUDA_CHECK(cudaFree(d_in));
  copy_kernel<<<1, 64>>>(d_in, d_out.data());
  finish_kernel();
  if (kRight) CUDA_CHECK(cudaFree(d_in));
}

template <bool kRight>
__global__ void double_kernel(int* values, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (kRight ? i < size : i <= size)
    values[i] *= 2;  // wrong in managed_past_the_end: out_of_bounds
}

template <bool kRight>
void managed_past_the_end() {
  int* values = nullptr;
  CUDA_CHECK(cudaMallocManaged(&values, 100 * sizeof(int)));
  for (int i = 0; i < 100; ++i) values[i] = i;
  double_kernel<kRight><<<1, 128>>>(values, 100);
  finish_kernel();
  std::printf("%d\n", values[99]);
  CUDA_CHECK(cudaFree(values));
}

template <bool kRight>
void double_free() {
  int* d_values = nullptr;
  CUDA_CHECK(cudaMalloc(&d_values, 64));
  CUDA_CHECK(cudaFree(d_values));
  if (!kRight) CUDA_CHECK(cudaFree(d_values));  // wrong in double_free: cuda_error
}

template <bool kRight>
void free_of_a_part() {
  int* d_values = nullptr;
  CUDA_CHECK(cudaMalloc(&d_values, 64));
  CUDA_CHECK(cudaFree(kRight ? d_values : d_values + 4));  // wrong in free_of_a_part: cuda_error
}

template <bool kRight>
void copy_too_long() {
  const DeviceBuffer<int> d_in = zeros<int>(100);
  std::vector<int> h_out(200);
  const std::size_t bytes = (kRight ? 100 : 200) * sizeof(int);
  // wrong in copy_too_long: refused_copy
  CUDA_CHECK(cudaMemcpy(h_out.data(), d_in.data(), bytes, cudaMemcpyDeviceToHost));
}

template <bool kRight>
void fill_too_long() {
  DeviceBuffer<int> d_values(100);
  const std::size_t bytes = (kRight ? 100 : 200) * sizeof(int);
  CUDA_CHECK(cudaMemset(d_values.data(), 0, bytes));  // wrong in fill_too_long: cuda_error
}

template <bool kRight>
void device_pointer_on_host() {
  const DeviceBuffer<int> d_in = zeros<int>(4);
  const std::vector<int> h_in = d_in.to_host();
  const int* const in = kRight ? h_in.data() : d_in.data();
  std::printf("%d\n", in[0]);  // wrong in device_pointer_on_host: device_pointer_on_host
}

}  // namespace

std::vector<Pair> global_memory_pairs() {
  return {
      {"past_the_end", "stores one element past the end", past_the_end<true>, past_the_end<false>},
      {"into_the_next_allocation",
       "stores one element past the end, where the next allocation begins",
       into_the_next_allocation<true>, into_the_next_allocation<false>},
      {"before_the_start", "reads the element before the first", before_the_start<true>,
       before_the_start<false>},
      {"byte_offset_as_index", "uses a byte offset as an index, 192 MB past the end",
       byte_offset_as_index<true>, byte_offset_as_index<false>},
      {"pitch_in_elements", "uses a pitch in bytes as a pitch in elements", pitch_in_elements<true>,
       pitch_in_elements<false>},
      {"elements_as_bytes", "allocates n bytes for n ints", elements_as_bytes<true>,
       elements_as_bytes<false>},
      {"rows_not_guarded", "guards the columns of a matrix, not its rows", rows_not_guarded<true>,
       rows_not_guarded<false>},
      {"last_chunk_too_long", "works in chunks, in two streams; the last is too long",
       last_chunk_too_long<true>, last_chunk_too_long<false>},
      {"misaligned_2_bytes", "reads a short at an odd address", misaligned<short, true>,
       misaligned<short, false>},
      {"misaligned_4_bytes", "reads an int 2 bytes after a multiple of 4", misaligned<int, true>,
       misaligned<int, false>},
      {"misaligned_8_bytes", "reads a double 4 bytes after a multiple of 8",
       misaligned<double, true>, misaligned<double, false>},
      {"misaligned_16_bytes", "reads an int4 8 bytes after a multiple of 16",
       misaligned<int4, true>, misaligned<int4, false>},
      {"null_pointer", "follows an optional pointer that is null", null_pointer<true>,
       null_pointer<false>},
      {"host_pointer", "is given a pointer to the host's memory", host_pointer<true>,
       host_pointer<false>},
      {"freed_memory", "is launched after cudaFree", freed_memory<true>, freed_memory<false>},
      {"managed_past_the_end", "changes managed memory, one element past the end",
       managed_past_the_end<true>, managed_past_the_end<false>},
      {"double_free", "frees memory twice", double_free<true>, double_free<false>},
      {"free_of_a_part", "frees a pointer into an allocation", free_of_a_part<true>,
       free_of_a_part<false>},
      {"copy_too_long", "copies twice as many bytes as there are", copy_too_long<true>,
       copy_too_long<false>},
      {"fill_too_long", "fills twice as many bytes as there are", fill_too_long<true>,
       fill_too_long<false>},
      {"device_pointer_on_host", "reads device memory on the host", device_pointer_on_host<true>,
       device_pointer_on_host<false>},
  };
}

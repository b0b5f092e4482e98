#include "cases.h"
#include "common/device_buffer.h"
#include "values.h"

#include <cstddef>

// Element types that lanes load and store: 1 to 32 bytes, vectors, structures.

namespace {

constexpr int kBlocks = 4, kThreads = 128, kCount = kBlocks * kThreads;

template <typename T>
__global__ void copy_elements(const T* in, T* out, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[stride * i + offset];
}

template <typename T>
void check_copy(int stride, int offset) {
  const std::vector<T> in = patterned<T>(stride * (kCount - 1) + offset + 1);
  const DeviceBuffer<T> d_in(in);
  DeviceBuffer<T> d_out(kCount);
  copy_elements<<<kBlocks, kThreads>>>(d_in.data(), d_out.data(), stride, offset);
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(),
               generated<T>(kCount, [&](int i) { return in[stride * i + offset]; }));
}

// ---- Structures ----

// 4 * kWords bytes, aligned to 4.
template <int kWords>
struct Record {
  float first;
  float others[kWords - 2];
  float last;
};
struct alignas(8) Pair {
  float first, last;
};
struct alignas(16) Quad {
  float first, second, third, last;
};
struct Doubles {  // 24 bytes, aligned to 8
  double first, second, last;
};
struct Mixed {  // 16 bytes, 1 and 3 of them padding
  double first;
  short second;
  char third;
  float last;
};

template <typename T>
__global__ void load_field(const T* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = static_cast<float>(in[i].last);
}

template <typename T>
__global__ void store_field(const float* in, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i].last = in[i];
}

template <typename T>
__global__ void add_fields(const T* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = static_cast<float>(in[i].first) + static_cast<float>(in[i].last);
}

template <typename T>
std::vector<T> records() {
  const std::vector<float> values = whole_numbers<float>(2 * kCount);
  std::vector<T> in(kCount);
  for (int i = 0; i < kCount; ++i) {
    in[i].first = values[2 * i];
    in[i].last = values[2 * i + 1];
  }
  return in;
}

template <typename T>
void check_load_field() {
  const std::vector<T> in = records<T>();
  const DeviceBuffer<T> d_in(in);
  DeviceBuffer<float> d_out(kCount);
  load_field<<<kBlocks, kThreads>>>(d_in.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(),
               generated<float>(kCount, [&](int i) { return static_cast<float>(in[i].last); }));
}

template <typename T>
void check_store_field() {
  const std::vector<float> in = whole_numbers<float>(kCount);
  const DeviceBuffer<float> d_in(in);
  DeviceBuffer<T> d_out(kCount);
  d_out.fill_bytes(0);
  store_field<<<kBlocks, kThreads>>>(d_in.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  const std::vector<T> out = d_out.to_host();
  expect_equal(generated<float>(kCount, [&](int i) { return static_cast<float>(out[i].last); }),
               in);
}

template <typename T>
void check_add_fields() {
  const std::vector<T> in = records<T>();
  const DeviceBuffer<T> d_in(in);
  DeviceBuffer<float> d_out(kCount);
  add_fields<<<kBlocks, kThreads>>>(d_in.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(), generated<float>(kCount, [&](int i) {
                 return static_cast<float>(in[i].first) + static_cast<float>(in[i].last);
               }));
}

// ---- Accesses that nvcc can combine ----

__global__ void add_four_fields(const float4* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i].x + in[i].y + in[i].z + in[i].w;
}

__global__ void store_in_braces(const float* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = {in[i], 1, 2, 3};
}

__global__ void store_four_fields(const float* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i].x = in[i];
  out[i].y = 1;
  out[i].z = 2;
  out[i].w = 3;
}

__global__ void store_made(const float* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = make_float4(in[i], 1, 2, 3);
}

void check_add_four_fields() {
  const std::vector<float> in = whole_numbers<float>(4 * kCount);
  const DeviceBuffer<float> d_in(in);
  DeviceBuffer<float> d_out(kCount);
  add_four_fields<<<kBlocks, kThreads>>>(reinterpret_cast<const float4*>(d_in.data()),
                                         d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(), generated<float>(kCount, [&](int i) {
                 return in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
               }));
}

// launch(in, out) stores (in[i], 1, 2, 3).
template <typename Launch>
void check_store_of_four(Launch launch) {
  const std::vector<float> in = whole_numbers<float>(kCount);
  const DeviceBuffer<float> d_in(in);
  DeviceBuffer<float4> d_out(kCount);
  launch(d_in.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(),
               generated<float4>(kCount, [&](int i) { return make_float4(in[i], 1, 2, 3); }));
}

// ---- The cases ----

template <typename T>
void add_type(std::vector<Case>& cases, const std::string& type) {
  cases.push_back(
      {"copy_type/" + type, "copy of elements of each type", [] { check_copy<T>(1, 0); }});
  for (const int offset : {1, 5}) {
    cases.push_back({"copy_late/" + type + "/" + std::to_string(offset),
                     "copy whose loads start N elements late", [=] { check_copy<T>(1, offset); }});
  }
  for (const int stride : {2, 3, 7}) {
    cases.push_back({"copy_stride/" + type + "/" + std::to_string(stride),
                     "copy whose loads have a stride of N elements",
                     [=] { check_copy<T>(stride, 0); }});
  }
}

void add_types(std::vector<Case>& cases) {
  add_type<unsigned char>(cases, "uchar");
  add_type<short>(cases, "short");
  add_type<int>(cases, "int");
  add_type<double>(cases, "double");
  add_type<uchar4>(cases, "uchar4");
  add_type<float2>(cases, "float2");
  add_type<float3>(cases, "float3");
  add_type<float4>(cases, "float4");
  add_type<int4>(cases, "int4");
  add_type<double2>(cases, "double2");
}

template <typename T>
void add_structure(std::vector<Case>& cases, const std::string& name) {
  cases.push_back(
      {"load_field/" + name, "load of the last field of structures of N", check_load_field<T>});
  cases.push_back(
      {"store_field/" + name, "store to the last field of structures of N", check_store_field<T>});
  cases.push_back(
      {"add_fields/" + name, "loads of the first and the last field", check_add_fields<T>});
}

}  // namespace

std::vector<Case> element_type_cases() {
  std::vector<Case> cases;
  add_types(cases);
  add_structure<Record<3>>(cases, "12_bytes");
  add_structure<Quad>(cases, "16_bytes");
  add_structure<Record<5>>(cases, "20_bytes");
  add_structure<Record<6>>(cases, "24_bytes");
  add_structure<Record<8>>(cases, "32_bytes");
  add_structure<Mixed>(cases, "double_short_char_float");
  add_structure<Pair>(cases, "8_bytes");
  cases.push_back({"copy_struct/20_bytes", "copy of whole structures of N",
                   [] { check_copy<Record<5>>(1, 0); }});
  cases.push_back({"copy_struct/24_bytes", "copy of whole structures of N",
                   [] { check_copy<Record<6>>(1, 0); }});
  cases.push_back({"copy_struct/3_doubles", "copy of whole structures of N",
                   [] { check_copy<Doubles>(1, 0); }});
  cases.push_back({"copy_struct/8_bytes_aligned", "copy of whole structures of N",
                   [] { check_copy<Pair>(1, 0); }});
  cases.push_back({"copy_struct/16_bytes_aligned", "copy of whole structures of N",
                   [] { check_copy<Quad>(1, 0); }});
  cases.push_back(
      {"add_four_fields", "loads of x, y, z and w of a float4, one by one", check_add_four_fields});
  cases.push_back({"store_four_fields", "stores to x, y, z and w of a float4, one by one", [] {
                     check_store_of_four([](const float* in, float4* out) {
                       store_four_fields<<<kBlocks, kThreads>>>(in, out);
                     });
                   }});
  cases.push_back({"store_in_braces", "store of a float4 as `{x, 1, 2, 3}`", [] {
                     check_store_of_four([](const float* in, float4* out) {
                       store_in_braces<<<kBlocks, kThreads>>>(in, out);
                     });
                   }});
  cases.push_back({"store_made", "store of a float4 from `make_float4`", [] {
                     check_store_of_four([](const float* in, float4* out) {
                       store_made<<<kBlocks, kThreads>>>(in, out);
                     });
                   }});
  return cases;
}

#include "cases.h"
#include "values.h"

// Element types that lanes load and store: 1 to 32 bytes, vectors, structures.

namespace {

constexpr int kBlocks = 4, kThreads = 128, kCount = kBlocks * kThreads;

template <typename T>
__global__ void copy_elements(const T* in, T* out, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[stride * i + offset];
}

template <typename T>
Case copy_case(const std::string& name, const char* description, int stride, int offset) {
  return {name, description, [=] {
            check(
                patterned<T>(stride * (kCount - 1) + offset + 1), unwritten<T>(kCount), kCount,
                [=](const T* in, T* out) {
                  copy_elements<<<kBlocks, kThreads>>>(in, out, stride, offset);
                },
                [=](const T* in, T* out, int i) { out[i] = in[stride * i + offset]; });
          }};
}

// kernel(in, out) must store what thread(in, out, i) stores.
template <typename In, typename Out>
void check_fields(const std::vector<In>& in, void (*kernel)(const In*, Out*),
                  void (*thread)(const In*, Out*, int)) {
  check(
      in, unwritten<Out>(kCount), kCount,
      [=](const In* d_in, Out* d_out) { kernel<<<kBlocks, kThreads>>>(d_in, d_out); }, thread);
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
  return generated<T>(kCount, [&](int i) {
    T record{};
    record.first = values[2 * i];
    record.last = values[2 * i + 1];
    return record;
  });
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

// ---- The cases ----

template <typename T>
void add_type(std::vector<Case>& cases, const std::string& type) {
  cases.push_back(copy_case<T>("copy_type/" + type, "copy of elements of each type", 1, 0));
  for (const int offset : {1, 5}) {
    cases.push_back(copy_case<T>("copy_late/" + type + "/" + std::to_string(offset),
                                 "copy whose loads start N elements late", 1, offset));
  }
  for (const int stride : {2, 3, 7}) {
    cases.push_back(copy_case<T>("copy_stride/" + type + "/" + std::to_string(stride),
                                 "copy whose loads have a stride of N elements", stride, 0));
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
  cases.push_back({"load_field/" + name, "load of the last field of structures of N", [] {
                     check_fields<T, float>(records<T>(), load_field<T>,
                                            [](const T* in, float* out, int i) {
                                              out[i] = static_cast<float>(in[i].last);
                                            });
                   }});
  cases.push_back({"store_field/" + name, "store to the last field of structures of N", [] {
                     check_fields<float, T>(
                         whole_numbers<float>(kCount), store_field<T>,
                         [](const float* in, T* out, int i) { out[i].last = in[i]; });
                   }});
  cases.push_back({"add_fields/" + name, "loads of the first and the last field", [] {
                     check_fields<T, float>(records<T>(), add_fields<T>,
                                            [](const T* in, float* out, int i) {
                                              out[i] = static_cast<float>(in[i].first + in[i].last);
                                            });
                   }});
}

void add_fields_of_float4(std::vector<Case>& cases) {
  cases.push_back({"add_four_fields", "loads of x, y, z and w of a float4, one by one", [] {
                     const auto in = generated<float4>(
                         kCount, [](int i) { return make_float4(i, 2 * i, 3 * i % 100, i % 7); });
                     check_fields<float4, float>(in, add_four_fields,
                                                 [](const float4* in, float* out, int i) {
                                                   out[i] = in[i].x + in[i].y + in[i].z + in[i].w;
                                                 });
                   }});
  const auto add_store = [&](const char* name, const char* description,
                             void (*kernel)(const float*, float4*)) {
    cases.push_back({name, description, [=] {
                       check_fields<float, float4>(whole_numbers<float>(kCount), kernel,
                                                   [](const float* in, float4* out, int i) {
                                                     out[i] = {in[i], 1, 2, 3};
                                                   });
                     }});
  };
  add_store("store_four_fields", "stores to x, y, z and w of a float4, one by one",
            store_four_fields);
  add_store("store_in_braces", "store of a float4 as `{x, 1, 2, 3}`", store_in_braces);
  add_store("store_made", "store of a float4 from `make_float4`", store_made);
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
  const char* const copy = "copy of whole structures of N";
  cases.push_back(copy_case<Record<5>>("copy_struct/20_bytes", copy, 1, 0));
  cases.push_back(copy_case<Record<6>>("copy_struct/24_bytes", copy, 1, 0));
  cases.push_back(copy_case<Doubles>("copy_struct/3_doubles", copy, 1, 0));
  cases.push_back(copy_case<Pair>("copy_struct/8_bytes_aligned", copy, 1, 0));
  cases.push_back(copy_case<Quad>("copy_struct/16_bytes_aligned", copy, 1, 0));
  add_fields_of_float4(cases);
  return cases;
}

#include "cases.h"
#include "common/device_buffer.h"
#include "places.h"
#include "values.h"

#include <algorithm>
#include <cstddef>

// Atomic functions of one warp, with several lanes at one address and several addresses in one
// sector or bank.

namespace {

constexpr int kElements = 256;

// ---- The functions ----

// Each function is applied to element `place`, which starts at 0; after() is the element's value
// after `times` calls, at least one.
struct Add {
  template <typename T>
  __device__ void operator()(T* element, int place) const {
    atomicAdd(element, static_cast<T>(place + 1));
  }
  int after(int times, int place) const { return times * (place + 1); }
};
struct Increment {  // nvcc has a special instruction for it in shared memory
  template <typename T>
  __device__ void operator()(T* element, int) const {
    atomicAdd(element, static_cast<T>(1));
  }
  int after(int times, int) const { return times; }
};
struct Max {
  template <typename T>
  __device__ void operator()(T* element, int place) const {
    atomicMax(element, static_cast<T>(place + 1));
  }
  int after(int, int place) const { return place + 1; }
};
struct Exchange {
  template <typename T>
  __device__ void operator()(T* element, int place) const {
    atomicExch(element, static_cast<T>(place + 1));
  }
  int after(int, int place) const { return place + 1; }
};
struct CompareAndSwap {
  template <typename T>
  __device__ void operator()(T* element, int place) const {
    atomicCAS(element, T{}, static_cast<T>(place + 1));
  }
  int after(int, int place) const { return place + 1; }
};

// ---- The kernels ----

template <typename T, typename Function>
__global__ void update_global(const int* places, Function function, T* elements) {
  const int place = places[threadIdx.x];
  if (place >= 0) function(&elements[place], place);
}

template <typename T>
__global__ void fetch_add_global(const int* places, T* elements, T* before) {
  const int place = places[threadIdx.x];
  if (place >= 0) before[threadIdx.x] = atomicAdd(&elements[place], static_cast<T>(place + 1));
}

template <typename T, typename Function>
__global__ void update_shared(const int* places, Function function, T* elements) {
  __shared__ T own[kElements];
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) own[i] = T{};
  __syncthreads();
  const int place = places[threadIdx.x];
  if (place >= 0) function(&own[place], place);
  __syncthreads();
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) elements[i] = own[i];
}

// All places are 0 or kNowhere. nvcc recognises that the address is the same for all lanes.
template <typename T, typename Function>
__global__ void update_one_global(const int* places, Function function, T* elements) {
  const int place = places[threadIdx.x];
  if (place >= 0) function(&elements[0], place);
}

template <typename T, typename Function>
__global__ void update_one_shared(const int* places, Function function, T* elements) {
  __shared__ T own;
  if (threadIdx.x == 0) own = T{};
  __syncthreads();
  const int place = places[threadIdx.x];
  if (place >= 0) function(&own, place);
  __syncthreads();
  if (threadIdx.x == 0) elements[0] = own;
}

// Calls launch(d_places, d_elements); the elements start at 0.
template <typename T, typename Function, typename Launch>
void check(const Places& places, Function function, Launch launch) {
  const DeviceBuffer<int> d_places(places);
  DeviceBuffer<T> d_elements(kElements);
  d_elements.fill_bytes(0);
  launch(d_places.data(), d_elements.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(
      d_elements.to_host(), generated<T>(kElements, [&](int place) {
        const auto times = std::count(places.begin(), places.end(), place);
        return static_cast<T>(times > 0 ? function.after(static_cast<int>(times), place) : 0);
      }));
}

template <typename T, typename Function>
void check_global(const Places& places, Function function) {
  check<T>(places, function, [&](const int* d_places, T* d_elements) {
    update_global<<<1, kLanes>>>(d_places, function, d_elements);
  });
}

template <typename T>
void check_fetch_add(const Places& places) {
  DeviceBuffer<T> d_before(kLanes);
  check<T>(places, Add{}, [&](const int* d_places, T* d_elements) {
    fetch_add_global<<<1, kLanes>>>(d_places, d_elements, d_before.data());
  });
}

template <typename T, typename Function>
void check_shared(const Places& places, Function function) {
  check<T>(places, function, [&](const int* d_places, T* d_elements) {
    update_shared<<<1, kLanes>>>(d_places, function, d_elements);
  });
}

// 20 lanes update the first element.
template <typename T, typename Function>
void check_one_address(Function function, bool in_shared_memory) {
  const Places places = places_of([](int lane) { return lane % 8 < 5 ? 0 : kNowhere; });
  check<T>(places, function, [&](const int* d_places, T* d_elements) {
    if (in_shared_memory) {
      update_one_shared<<<1, kLanes>>>(d_places, function, d_elements);
    } else {
      update_one_global<<<1, kLanes>>>(d_places, function, d_elements);
    }
  });
}

// ---- Which lane uses which element ----

// `lanes` lanes use one element, the others the next.
Places two_elements(int lanes) {
  return places_of([=](int lane) { return lane < lanes ? 0 : 1; });
}

// The lanes use `elements` elements in turn; the elements are `apart` from each other.
Places in_turn(int elements, int apart) {
  return places_of([=](int lane) { return lane % elements * apart; });
}

// 10 and 6 lanes use two elements of one sector, 16 lanes use element 8, in a different sector.
Places two_sectors() {
  return places_of([](int lane) { return lane < 10 ? 0 : lane < 16 ? 1 : 8; });
}

// Some lanes use random elements out of 4 to 128.
Places by_chance(int seed) {
  Chance chance(seed);
  const int elements = 4 << seed % 6;
  return places_of([&](int) { return chance.one_in(5) ? kNowhere : chance.below(elements); });
}

// ---- The cases ----

class Cases {
 public:
  explicit Cases(std::vector<Case>& cases) : cases_(cases) {}

  void add(const std::string& family, const std::string& member, const char* description,
           const std::function<void()>& run) {
    cases_.push_back({family + "/" + member, description, run});
  }
  // run(places) for seeds 1, 2, ...
  template <typename Run>
  void by_chance(const std::string& name, int seeds, const char* description, Run run) {
    for (int seed = 1; seed <= seeds; ++seed) {
      const Places places = ::by_chance(seed);
      add(name, std::to_string(seed), description, [=] { run(places); });
    }
  }

 private:
  std::vector<Case>& cases_;
};

template <typename T>
void add_global(Cases& cases, const std::string& type) {
  for (const int lanes : {16, 20, 31}) {
    cases.add("atomic_two_elements/" + type, std::to_string(lanes),
              "N lanes add to one element, the others to the next",
              [=] { check_global<T>(two_elements(lanes), Add{}); });
  }
  for (const int elements : {2, 3, 4, 8}) {
    cases.add("atomic_in_turn/" + type, std::to_string(elements),
              "lanes add to N adjacent elements, in turn",
              [=] { check_global<T>(in_turn(elements, 1), Add{}); });
  }
  cases.add("atomic_two_sectors", type, "10 and 6 lanes add in one sector, 16 in another",
            [] { check_global<T>(two_sectors(), Add{}); });
  cases.by_chance("atomic_add_chance/" + type, 6, "some lanes add to random elements",
                  [](const Places& places) { check_global<T>(places, Add{}); });
  cases.by_chance("atomic_fetch_add_chance/" + type, 6, "the same, with the result of `atomicAdd`",
                  [](const Places& places) { check_fetch_add<T>(places); });
}

void add_global_functions(Cases& cases) {
  const char* const description = "other functions on random elements";
  cases.by_chance("atomic_function_chance/increment", 3, description,
                  [](const Places& places) { check_global<int>(places, Increment{}); });
  cases.by_chance("atomic_function_chance/max", 3, description,
                  [](const Places& places) { check_global<int>(places, Max{}); });
  cases.by_chance("atomic_function_chance/exchange", 3, description,
                  [](const Places& places) { check_global<int>(places, Exchange{}); });
  cases.by_chance("atomic_function_chance/swap", 3, description,
                  [](const Places& places) { check_global<int>(places, CompareAndSwap{}); });
  cases.by_chance("atomic_function_chance/add_double", 3, description,
                  [](const Places& places) { check_global<double>(places, Add{}); });
}

void add_shared(Cases& cases) {
  for (const int stride : {2, 4, 8}) {
    cases.add("shared_atomic_stride", std::to_string(stride),
              "shared `atomicAdd` with a stride of N ints",
              [=] { check_shared<int>(in_turn(kLanes, stride), Add{}); });
  }
  for (const int elements : {2, 3, 4, 8}) {
    cases.add("shared_atomic_same_bank", std::to_string(elements),
              "lanes add to N ints of one bank, in turn",
              [=] { check_shared<int>(in_turn(elements, 32), Add{}); });
  }
  for (const int lanes : {16, 20, 31}) {
    cases.add("shared_atomic_two_elements", std::to_string(lanes),
              "N lanes add to one int, the others to the next",
              [=] { check_shared<int>(two_elements(lanes), Add{}); });
  }
  cases.by_chance("shared_atomic_add_chance", 12, "some lanes add ints to random elements",
                  [](const Places& places) { check_shared<int>(places, Add{}); });
  cases.by_chance("shared_atomic_increment_chance", 12, "some lanes add 1 to random elements",
                  [](const Places& places) { check_shared<int>(places, Increment{}); });
  const char* const description = "other shared functions on random elements";
  cases.by_chance("shared_atomic_function_chance/max", 6, description,
                  [](const Places& places) { check_shared<int>(places, Max{}); });
  cases.by_chance("shared_atomic_function_chance/exchange", 6, description,
                  [](const Places& places) { check_shared<int>(places, Exchange{}); });
  cases.by_chance("shared_atomic_function_chance/swap", 6, description,
                  [](const Places& places) { check_shared<int>(places, CompareAndSwap{}); });
  cases.by_chance("shared_atomic_add_chance_float", 3, "some lanes add floats to random elements",
                  [](const Places& places) { check_shared<float>(places, Add{}); });
}

template <typename T, typename Function>
void add_one_address(Cases& cases, const std::string& name, Function function) {
  cases.add("atomic_one_address", name,
            "20 lanes update the same element, and nvcc recognises this",
            [=] { check_one_address<T>(function, false); });
  cases.add("shared_atomic_one_address", name, "the same in shared memory",
            [=] { check_one_address<T>(function, true); });
}

}  // namespace

std::vector<Case> atomic_lane_cases() {
  std::vector<Case> cases;
  Cases adder(cases);
  add_global<int>(adder, "int");
  add_global<float>(adder, "float");
  add_global<unsigned long long>(adder, "uint64");
  add_global_functions(adder);
  add_shared(adder);
  add_one_address<int>(adder, "add", Add{});
  add_one_address<int>(adder, "increment", Increment{});
  add_one_address<int>(adder, "max", Max{});
  add_one_address<int>(adder, "exchange", Exchange{});
  add_one_address<float>(adder, "add_float", Add{});
  add_one_address<unsigned long long>(adder, "add_uint64", Add{});
  return cases;
}

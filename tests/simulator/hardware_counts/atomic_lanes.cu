#include "atomic_functions.h"
#include "cases.h"
#include "places.h"
#include "values.h"

// Atomic functions of one warp, with several lanes at one address and several addresses in one
// sector or bank.

namespace {

constexpr int kElements = 256;

// ---- The kernels ----

template <typename T, typename Function>
__global__ void update_global(const int* places, Function function, T* elements) {
  const int place = places[threadIdx.x];
  if (place >= 0) function(&elements[place], static_cast<T>(place + 1));
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
  if (place >= 0) function(&own[place], static_cast<T>(place + 1));
  __syncthreads();
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) elements[i] = own[i];
}

// All places are 0 or kNowhere. nvcc recognises that the address is the same for all lanes.
template <typename T, typename Function>
__global__ void update_one_global(const int* places, Function function, T* elements) {
  const int place = places[threadIdx.x];
  if (place >= 0) function(&elements[0], static_cast<T>(place + 1));
}

template <typename T, typename Function>
__global__ void update_one_shared(const int* places, Function function, T* elements) {
  __shared__ T own;
  if (threadIdx.x == 0) own = T{};
  __syncthreads();
  const int place = places[threadIdx.x];
  if (place >= 0) function(&own, static_cast<T>(place + 1));
  __syncthreads();
  if (threadIdx.x == 0) elements[0] = own;
}

// launch(places, elements) must apply the function to the element of each lane.
template <typename T, typename Function, typename Launch>
void check_places(const Places& places, Function, Launch launch) {
  check(places, zeros<T>(kElements), kLanes, launch, [](const int* place, T* elements, int lane) {
    if (place[lane] < 0) return;
    T& mine = elements[place[lane]];
    mine = Function::after(mine, static_cast<T>(place[lane] + 1));
  });
}

template <typename T, typename Function>
void check_global(const Places& places, Function function) {
  check_places<T>(places, function, [&](const int* d_places, T* elements) {
    update_global<<<1, kLanes>>>(d_places, function, elements);
  });
}

template <typename T>
void check_fetch_add(const Places& places) {
  DeviceBuffer<T> d_before(kLanes);
  check_places<T>(places, Add{}, [&](const int* d_places, T* elements) {
    fetch_add_global<<<1, kLanes>>>(d_places, elements, d_before.data());
  });
}

template <typename T, typename Function>
void check_shared(const Places& places, Function function) {
  check_places<T>(places, function, [&](const int* d_places, T* elements) {
    update_shared<<<1, kLanes>>>(d_places, function, elements);
  });
}

// 20 lanes update the first element.
template <typename T, typename Function>
void check_one_address(void (*kernel)(const int*, Function, T*)) {
  const Places places = places_of([](int lane) { return lane % 8 < 5 ? 0 : kNowhere; });
  check_places<T>(places, Function{}, [&](const int* d_places, T* elements) {
    kernel<<<1, kLanes>>>(d_places, Function{}, elements);
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

// run(places) for seeds 1, 2, ...
template <typename Run>
void add_by_chance(std::vector<Case>& cases, const std::string& family, int seeds,
                   const char* description, Run run) {
  for (int seed = 1; seed <= seeds; ++seed) {
    cases.push_back(
        {family + "/" + std::to_string(seed), description, [=] { run(by_chance(seed)); }});
  }
}

template <typename T>
void add_global(std::vector<Case>& cases, const std::string& type) {
  add_family(cases, "atomic_two_elements/" + type,
             "N lanes add to one element, the others to the next", {16, 20, 31},
             [](int lanes) { check_global<T>(two_elements(lanes), Add{}); });
  add_family(cases, "atomic_in_turn/" + type, "lanes add to N adjacent elements, in turn",
             {2, 3, 4, 8}, [](int elements) { check_global<T>(in_turn(elements, 1), Add{}); });
  cases.push_back({"atomic_two_sectors/" + type, "10 and 6 lanes add in one sector, 16 in another",
                   [] { check_global<T>(two_sectors(), Add{}); }});
  add_by_chance(cases, "atomic_add_chance/" + type, 6, "some lanes add to random elements",
                [](const Places& places) { check_global<T>(places, Add{}); });
  add_by_chance(cases, "atomic_fetch_add_chance/" + type, 6,
                "the same, with the result of `atomicAdd`", check_fetch_add<T>);
}

template <typename T, typename Function>
void add_global_function(std::vector<Case>& cases, const std::string& name) {
  add_by_chance(cases, "atomic_function_chance/" + name, 3, "other functions on random elements",
                [](const Places& places) { check_global<T>(places, Function{}); });
}

template <typename Function>
void add_shared_function(std::vector<Case>& cases, const std::string& name) {
  add_by_chance(cases, "shared_atomic_function_chance/" + name, 6,
                "other shared functions on random elements",
                [](const Places& places) { check_shared<int>(places, Function{}); });
}

void add_shared(std::vector<Case>& cases) {
  add_family(cases, "shared_atomic_stride", "shared `atomicAdd` with a stride of N ints", {2, 4, 8},
             [](int stride) { check_shared<int>(in_turn(kLanes, stride), Add{}); });
  add_family(cases, "shared_atomic_same_bank", "lanes add to N ints of one bank, in turn",
             {2, 3, 4, 8}, [](int elements) { check_shared<int>(in_turn(elements, 32), Add{}); });
  add_family(cases, "shared_atomic_two_elements", "N lanes add to one int, the others to the next",
             {16, 20, 31}, [](int lanes) { check_shared<int>(two_elements(lanes), Add{}); });
  add_by_chance(cases, "shared_atomic_add_chance", 12, "some lanes add ints to random elements",
                [](const Places& places) { check_shared<int>(places, Add{}); });
  add_by_chance(cases, "shared_atomic_increment_chance", 12, "some lanes add 1 to random elements",
                [](const Places& places) { check_shared<int>(places, AddOne{}); });
  add_shared_function<Max>(cases, "max");
  add_shared_function<Exchange>(cases, "exchange");
  add_shared_function<SwapZero>(cases, "swap");
  add_by_chance(cases, "shared_atomic_add_chance_float", 3,
                "some lanes add floats to random elements",
                [](const Places& places) { check_shared<float>(places, Add{}); });
}

template <typename T, typename Function>
void add_one_address(std::vector<Case>& cases, const std::string& name) {
  cases.push_back({"atomic_one_address/" + name,
                   "20 lanes update the same element, and nvcc recognises this",
                   [] { check_one_address(update_one_global<T, Function>); }});
  cases.push_back({"shared_atomic_one_address/" + name, "the same in shared memory",
                   [] { check_one_address(update_one_shared<T, Function>); }});
}

}  // namespace

std::vector<Case> atomic_lane_cases() {
  std::vector<Case> cases;
  add_global<int>(cases, "int");
  add_global<float>(cases, "float");
  add_global<unsigned long long>(cases, "uint64");
  add_global_function<int, AddOne>(cases, "increment");
  add_global_function<int, Max>(cases, "max");
  add_global_function<int, Exchange>(cases, "exchange");
  add_global_function<int, SwapZero>(cases, "swap");
  add_global_function<double, Add>(cases, "add_double");
  add_shared(cases);
  add_one_address<int, Add>(cases, "add");
  add_one_address<int, AddOne>(cases, "increment");
  add_one_address<int, Max>(cases, "max");
  add_one_address<int, Exchange>(cases, "exchange");
  add_one_address<float, Add>(cases, "add_float");
  add_one_address<unsigned long long, Add>(cases, "add_uint64");
  return cases;
}

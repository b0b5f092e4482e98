#include "cases.h"
#include "places.h"
#include "values.h"

#include <algorithm>
#include <numeric>

// Shared memory with some inactive lanes, and others at the same address. An access of 8 or 16
// bytes can take fewer wavefronts then.

namespace {

constexpr int kElements = 256;

template <typename T>
__global__ void load_at_places(const T* in, const int* places, T* out) {
  __shared__ T values[kElements];
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) values[i] = in[i];
  __syncthreads();
  const int place = places[threadIdx.x];
  if (place >= 0) out[threadIdx.x] = values[place];
}

template <typename T>
__global__ void store_at_places(const T* in, const int* places, T* out) {
  __shared__ T values[kElements];
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) values[i] = in[i];
  __syncthreads();
  const int place = places[threadIdx.x];
  if (place >= 0) values[place] = in[kElements + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < kElements; i += blockDim.x) out[i] = values[i];
}

template <typename T>
void check_load(const Places& places) {
  const DeviceBuffer<int> d_places(places);
  check(
      patterned<T>(kElements), unwritten<T>(kLanes), kLanes,
      [&](const T* in, T* out) { load_at_places<<<1, kLanes>>>(in, d_places.data(), out); },
      [&](const T* in, T* out, int lane) {
        if (places[lane] >= 0) out[lane] = in[places[lane]];
      });
}

template <typename T>
void check_store(const Places& places) {
  const DeviceBuffer<int> d_places(places);
  check(
      patterned<T>(kElements + kLanes), unwritten<T>(kElements), kElements + kLanes,
      [&](const T* in, T* out) { store_at_places<<<1, kLanes>>>(in, d_places.data(), out); },
      [&](const T* in, T* out, int i) {
        const int place = i < kElements ? i : places[i - kElements];
        if (place >= 0) out[place] = in[i];
      });
}

// ---- Which lane uses which element ----

// The lane's number without the bit `bit`; 0 keeps all bits.
int without_bit(int lane, int bit) { return bit == 0 ? lane : lane / (2 * bit) * bit + lane % bit; }

Places twins(int bit) {
  return places_of([=](int lane) { return without_bit(lane, bit); });
}

Places some_lanes(int bit, bool is_set) {
  return places_of([=](int lane) { return ((lane & bit) != 0) == is_set ? lane : kNowhere; });
}

Places lanes_in_range(int first, int last) {
  return places_of([=](int lane) { return lane >= first && lane <= last ? lane : kNowhere; });
}

// Groups of `lanes` lanes; alternate groups have twins by `bit` and by `other_bit`.
Places twins_in_turn(int lanes, int bit, int other_bit) {
  return places_of([=](int lane) {
    const int group = lane / lanes;
    return group * lanes + without_bit(lane % lanes, group % 2 == 0 ? bit : other_bit);
  });
}

Places twins_but_one(int stranger) {
  return places_of([=](int lane) { return lane == stranger ? 64 : without_bit(lane, 1); });
}

// Both lanes of each pair n and n ^ bit use one element, or one or both are inactive. With `bit` 0
// each lane uses its own random element.
Places chance_loads(int bit, int seed) {
  Chance chance(seed);
  Places places = places_of([&](int) { return chance.one_in(4) ? kNowhere : chance.below(64); });
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool follows = bit != 0 && (lane & bit) != 0;
    const int twin = places[lane ^ bit];
    if (follows && places[lane] >= 0 && twin >= 0) places[lane] = twin;
  }
  return places;
}

// The same with an element for each lane: one lane of a pair is inactive.
Places chance_stores(int bit, int seed) {
  Chance chance(seed);
  std::vector<int> elements(kElements);
  std::iota(elements.begin(), elements.end(), 0);
  for (int i = kElements - 1; i > 0; --i) std::swap(elements[i], elements[chance.below(i + 1)]);
  Places places = places_of([&](int lane) { return chance.one_in(4) ? kNowhere : elements[lane]; });
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool meets = bit != 0 && (lane & bit) != 0 && places[lane ^ bit] >= 0;
    if (meets) places[chance.one_in(2) ? lane : lane ^ bit] = kNowhere;
  }
  return places;
}

// ---- The cases ----

constexpr int kBits[] = {1, 2, 4, 8, 16};
constexpr int kSeeds = 6;

std::string numbers(int first, int second) {
  return std::to_string(first) + "_" + std::to_string(second);
}

// Adds the cases of elements of type T, whose names contain `type`.
template <typename T>
struct Cases {
  std::vector<Case>& cases;
  std::string type;

  void load(const std::string& family, const std::string& member, const char* description,
            const Places& places) {
    cases.push_back({"shared_load_" + family + "/" + type + "/" + member, description,
                     [=] { check_load<T>(places); }});
  }
  void store(const std::string& family, const std::string& member, const char* description,
             const Places& places) {
    cases.push_back({"shared_store_" + family + "/" + type + "/" + member, description,
                     [=] { check_store<T>(places); }});
  }
  void by_chance() {
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const std::string member = std::to_string(seed);
      load("chance", member, "some lanes load random elements", chance_loads(0, seed));
      store("chance", member, "some lanes store to random elements", chance_stores(0, seed));
    }
  }
};

template <typename T>
void add_regular_loads(Cases<T>& cases) {
  for (const int bit : kBits) {
    const std::string member = std::to_string(bit);
    cases.load("twins", member, "lanes n and n ^ N load the same element", twins(bit));
    cases.load("bit_clear", member, "the lanes with n & N == 0 load", some_lanes(bit, false));
    cases.load("bit_set", member, "the lanes with n & N != 0 load", some_lanes(bit, true));
  }
  for (const auto& [first, last] :
       std::vector<std::pair<int, int>>{{0, 7}, {8, 15}, {0, 15}, {16, 31}, {8, 23}, {4, 27}}) {
    cases.load("range", numbers(first, last), "lanes N to M load", lanes_in_range(first, last));
  }
  for (const auto& [bit, other] :
       std::vector<std::pair<int, int>>{{1, 0}, {0, 1}, {2, 0}, {0, 2}, {1, 2}, {2, 1}}) {
    const std::string member = numbers(bit, other);
    cases.load("twins_in_halves", member, "twins by bit N in half a warp, by M in the other",
               twins_in_turn(16, bit, other));
    cases.load("twins_in_quarters", member, "twins by bit N or M in quarters of a warp, in turn",
               twins_in_turn(8, bit, other));
    cases.load("twins_in_fours", member, "twins by bit N or M in groups of four lanes, in turn",
               twins_in_turn(4, bit, other));
  }
  for (const int stranger : {0, 31}) {
    cases.load("twins_but_one", std::to_string(stranger),
               "lanes n and n ^ 1 load the same element, except lane N", twins_but_one(stranger));
  }
}

template <typename T>
void add_wide(std::vector<Case>& cases, const char* type) {
  Cases<T> wide{cases, type};
  add_regular_loads(wide);
  for (const int bit : kBits) {
    wide.store("bit_clear", std::to_string(bit), "the lanes with n & N == 0 store",
               some_lanes(bit, false));
  }
  wide.by_chance();
  for (const int bit : {1, 2}) {
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const std::string member = std::to_string(bit) + "/" + std::to_string(seed);
      wide.load("twins_chance", member,
                "lanes n and n ^ N load one random element, or only one of them loads",
                chance_loads(bit, seed));
      wide.store("one_of_two", member, "one of the lanes n and n ^ N stores to a random element",
                 chance_stores(bit, seed));
    }
  }
}

}  // namespace

std::vector<Case> shared_lane_cases() {
  std::vector<Case> cases;
  add_wide<double>(cases, "double");
  add_wide<float4>(cases, "float4");
  Cases<float>{cases, "float"}.by_chance();
  return cases;
}

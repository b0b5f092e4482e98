#pragma once

#include "accuracy.h"

#include "harness/map_data.h"

#include "common/device_buffer.h"
#include "common/harness/driver.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the programs of this chapter share.

// What the command line says: how many elements.
struct SizeOption {
  using Asked = std::optional<std::size_t>;
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<std::size_t> sizes(const Asked& asked, bool is_timed);
};

// How many elements, and which.
struct MapSize {
  std::size_t n;
  MapData data;
};

// What the command line says of both. `usual` is the data without --data, and `choices` are those
// that --data may name.
MapData parse_data(Options& options, MapData usual, const std::vector<MapData>& choices);
std::vector<OptionHelp> data_options(MapData usual, const std::vector<MapData>& choices);

// The options of a program that maps data of any kind, kUsual if none is named.
template <MapData kUsual>
struct DataOptions {
  struct Asked {
    SizeOption::Asked n;
    MapData data;
  };
  static std::vector<OptionHelp> options() { return data_options(kUsual, all_map_data()); }
  static Asked parse(Options& options) {
    const SizeOption::Asked n = SizeOption::parse(options);
    return {n, parse_data(options, kUsual, all_map_data())};
  }
  static Sizes<MapSize> sizes(const Asked& asked, bool is_timed) {
    const auto [checked, timed] = SizeOption::sizes(asked.n, is_timed);
    return {{checked, asked.data}, {timed, asked.data}};
  }
};

// Of so many arrays of n elements.
MemoryNeed arrays_of(std::size_t n, std::size_t element_bytes, int on_device, int on_host);

std::string all_right(std::size_t n);

// Throws std::runtime_error if y is not as near to the reference as `accuracy` says. T is float or
// double.
template <typename T>
void require_right(const T* h_y, const T* h_x, std::size_t n, const Accuracy& accuracy);

// Throws std::runtime_error unless x is what it was.
template <typename T>
void require_unchanged(const std::vector<T>& h_x_after, const std::vector<T>& h_x);

// What a program took beside a plain copy on the GPU of as many bytes.
Measurement beside_copy(const MapSize& size, std::size_t element_bytes, const Timings& timings,
                        std::vector<std::string> notes = {});

// A map of an array of device memory to another one. The ceiling is a plain copy.
template <typename T>
class MapProblem : public TimedProblem, public DataOptions<MapData::wide> {
 public:
  using Map = void (*)(const T* d_x, T* d_y, std::size_t n, cudaStream_t stream);
  static MemoryNeed memory_need(const MapSize& size, bool is_timed) {
    return arrays_of(size.n, sizeof(T), /*on_device=*/is_timed ? 3 : 2, /*on_host=*/2);
  }

  MapProblem(Map map, const Accuracy& accuracy, const MapSize& size, std::uint64_t seed);
  void run() override;
  std::string check() override;
  Timings time() override;
  Measurement measurement(const Timings& timings) const override;

 private:
  Map map_;
  Accuracy accuracy_;
  MapData data_;
  std::vector<T> h_x_;
  DeviceBuffer<T> d_x_, d_y_;
};

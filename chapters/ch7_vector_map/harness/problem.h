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

// The code that the programs of this chapter share.

// The option for the number of elements.
struct SizeOption {
  using Asked = std::optional<std::size_t>;
  static std::vector<OptionHelp> options();
  static Asked parse(Options& options);
  static Sizes<std::size_t> sizes(const Asked& asked, bool is_timed);
};

// The number of elements, and the kind of data.
struct MapSize {
  std::size_t n;
  MapData data;
};

// The command line's size and data. `usual` is the data without --data, and `choices` are those
// that --data can name.
MapData parse_data(Options& options, MapData usual, const std::vector<MapData>& choices);
std::vector<OptionHelp> data_options(MapData usual, const std::vector<MapData>& choices);

// The options of a program that maps data of any kind; kUsual is the default.
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

// The memory for that many arrays of n elements.
MemoryNeed arrays_of(std::size_t n, std::size_t element_bytes, int on_device, int on_host);

std::string all_right(std::size_t n);

// Throws std::runtime_error if an error of y exceeds `accuracy`. T is float or double.
template <typename T>
void require_right(const T* h_y, const T* h_x, std::size_t n, const Accuracy& accuracy);

// Throws std::runtime_error if x has changed.
template <typename T>
void require_unchanged(const std::vector<T>& h_x_after, const std::vector<T>& h_x);

// A program's times, compared with a plain copy of as many bytes on the GPU.
Measurement compared_with_copy(const MapSize& size, std::size_t element_bytes,
                               const Timings& timings, std::vector<std::string> notes = {});

// A map from one array in device memory to another one. The ceiling is a plain copy.
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

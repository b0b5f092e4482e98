#include "harness/problem.h"

#include "harness/reference.h"
#include "vector_map.h"

#include "common/harness/compare.h"
#include "common/harness/plain_copy.h"

#include <stdexcept>
#include <utility>

std::vector<OptionHelp> SizeOption::options() { return {{"--n N", "elements of each array"}}; }

std::optional<std::size_t> SizeOption::parse(Options& options) {
  return options.integer<std::size_t>("--n", 1, static_cast<long long>(kMaxSize));
}

Sizes<std::size_t> SizeOption::sizes(const Asked& asked, bool is_timed) {
  constexpr std::size_t kToCheck = 100003;    // a prime: no block and no vector divides it
  constexpr std::size_t kToTime = 100000000;  // 400 MB per array, 6 times an H200's L2 cache
  return sizes_of(asked, kToCheck, kToTime, is_timed);
}

std::vector<OptionHelp> data_options(MapData usual, const std::vector<MapData>& choices) {
  std::vector<OptionHelp> all = SizeOption::options();
  for (const MapData data : choices) {
    all.push_back(help_of(data, /*is_usual=*/data == usual));
  }
  return all;
}

MapData parse_data(Options& options, MapData usual, const std::vector<MapData>& choices) {
  std::string names;
  for (const MapData data : choices) {
    names += names.empty() ? "" : data == choices.back() ? " or " : ", ";
    names += name_of(data);
  }
  const std::optional<std::string> text = options.text("--data", names);
  if (!text) return usual;
  for (const MapData data : choices) {
    if (*text == name_of(data)) return data;
  }
  throw UsageError(format("--data takes %s, not '%s'.", names.c_str(), text->c_str()));
}

MemoryNeed arrays_of(std::size_t n, std::size_t element_bytes, int on_device, int on_host) {
  const double array_bytes = static_cast<double>(n) * static_cast<double>(element_bytes);
  return {format("arrays of %zu elements", n), on_device * array_bytes, on_host * array_bytes,
          largest_that_fits("--n", static_cast<double>(n))};
}

std::string all_right(std::size_t n) { return format("%zu elements, all right", n); }

template <typename T>
void require_right(const T* h_y, const T* h_x, std::size_t n, const Accuracy& accuracy) {
  const auto mismatch = find_map_mismatch(h_y, h_x, n, accuracy);
  if (!mismatch) return;
  throw std::runtime_error("WRONG: " + map_mismatch_text(*mismatch, h_y, h_x, n, accuracy));
}

template <typename T>
void require_unchanged(const std::vector<T>& h_x_after, const std::vector<T>& h_x) {
  if (find_mismatch(h_x_after, h_x)) throw std::runtime_error("WRONG: x has changed.");
}

Measurement compared_with_copy(const MapSize& size, std::size_t element_bytes,
                               const Timings& timings, std::vector<std::string> notes) {
  const double bytes = 2.0 * static_cast<double>(size.n) * static_cast<double>(element_bytes);
  Measurement measured{format("%zu elements of %zu bytes", size.n, element_bytes),
                       {{"n", std::to_string(size.n)}},
                       {timings.own, bytes},
                       {"plain copy", "copy", {timings.ceiling, bytes}},
                       kGbPerS,
                       std::move(notes)};
  measured.choices = {{"data", name_of(size.data)}};
  return measured;
}

template <typename T>
MapProblem<T>::MapProblem(Map map, const Accuracy& accuracy, const MapSize& size,
                          std::uint64_t seed)
    : map_(map),
      accuracy_(accuracy),
      data_(size.data),
      h_x_(map_arguments<T>(size.data, size.n, seed)),
      d_x_(h_x_),
      d_y_(size.n) {
  d_y_.fill_bytes(0xff);
}

template <typename T>
void MapProblem<T>::run() {
  map_(d_x_.data(), d_y_.data(), h_x_.size(), nullptr);
}

template <typename T>
std::string MapProblem<T>::check() {
  require_right(d_y_.to_host().data(), h_x_.data(), h_x_.size(), accuracy_);
  require_unchanged(d_x_.to_host(), h_x_);
  return all_right(h_x_.size());
}

template <typename T>
Timings MapProblem<T>::time() {
  DeviceBuffer<T> d_copy(h_x_.size());
  return time_beside([&] { queue_copy(d_copy.data(), d_x_.data(), d_x_.size_bytes()); },
                     [&] { run(); });
}

template <typename T>
Measurement MapProblem<T>::measurement(const Timings& timings) const {
  return compared_with_copy({h_x_.size(), data_}, sizeof(T), timings);
}

template void require_right(const float*, const float*, std::size_t, const Accuracy&);
template void require_right(const double*, const double*, std::size_t, const Accuracy&);
template void require_unchanged(const std::vector<float>&, const std::vector<float>&);
template void require_unchanged(const std::vector<double>&, const std::vector<double>&);
template class MapProblem<float>;
template class MapProblem<double>;

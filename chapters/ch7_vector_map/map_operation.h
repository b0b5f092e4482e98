#pragma once

#include "accuracy.h"
#include "map_data.h"
#include "map_reference.h"
#include "vector_map.h"

#include "common/harness/operation.h"

#include <vector>

// What the maps of this chapter have in common: data, the check, sizes and the ceiling.

// A map of n elements of T, float or double. A shape is n and the word of --data.
template <typename T>
class MapComputation : public Computation {
 public:
  void fill(std::uint64_t seed) override { in_.host = map_arguments<T>(data_, n, seed); }
  void expect() override {
    out_.expect([this](T y, std::size_t i) { return is_map_of(in_.host[i], y, accuracy_); },
                [this](std::size_t i) { return static_cast<double>(map_reference(in_.host[i])); });
  }
  double work() const override { return 2 * in_.bytes(); }  // each is read once and written once

  std::string text() const override { return format("%zu elements of %zu bytes", n, sizeof(T)); }
  std::string report() const override { return format("%zu elements, all right", n); }
  std::string facts_of_wrong(std::size_t, double, double) const override {
    return "array=" + out_.name + format(" promised=%.3g", accuracy_.max_error_ulp);
  }
  std::string about_wrong(std::size_t i, double got) const override {
    return error_text(static_cast<T>(got), in_.host[i], accuracy_);
  }

  const std::size_t n;

 protected:
  // `in` and `out` are arrays of the derived class; a map in place has one.
  MapComputation(Array<T>& in, Array<T>& out, const Accuracy& accuracy,
                 const std::vector<MapData>& words, const Shape& shape)
      : n(shape[0]), in_(in), out_(out), accuracy_(accuracy), data_(words[shape[1]]) {}

 private:
  Array<T>&in_, &out_;
  Accuracy accuracy_;
  MapData data_;
};

// y(i) = tan x(i) + 3 sin x(i)
template <typename T>
struct MapOfArray : MapComputation<T> {
  MapOfArray(const Accuracy& accuracy, const std::vector<MapData>& words, const Shape& shape)
      : MapComputation<T>(x, y, accuracy, words, shape),
        x(this, "x", shape[0]),
        y(this, "y", shape[0]) {}

  Input<T> x;
  Output<T> y;
};

// The same in place: x(i) = tan x(i) + 3 sin x(i). A run maps the result of the run before, unless
// x is restored, and it could lie outside kMaxX.
template <typename T>
struct MapInPlace : MapComputation<T> {
  MapInPlace(const Accuracy& accuracy, const std::vector<MapData>& words, const Shape& shape)
      : MapComputation<T>(x, x, accuracy, words, shape), x(this, "x", shape[0]) {}

  InPlace<T> x;
};

// The words of --data: floats in the whole domain show the errors of a map. Other programs have the
// data of published measurements.
inline const std::vector<MapData> kWideFirst{MapData::wide, MapData::uniform, MapData::normal};
inline const std::vector<MapData> kUniformFirst{MapData::uniform, MapData::normal, MapData::wide};

template <typename C>
Operation map_operation(const std::vector<MapData>& words) {
  Operation operation;
  operation.make = computes<C>;
  // To check: a prime, so no block and no vector divides it. To time: 400 MB per array of floats, 6
  // times an H200's L2 cache.
  operation.extents = {{"--n N", "elements of each array", kMaxSize, 100'003, 100'000'000}};
  operation.choices = {data_option(words)};
  // None; one element; a vector, a warp, a block of 256, tiles of 1024 and 2048, and the sizes
  // around them; primes.
  operation.shapes =
      shapes_of({0,    1,    2,    3,    4,    5,    7,    31,   32,   33,   255,  256,  257,
                 1022, 1023, 1024, 1025, 1026, 2047, 2048, 2049, 2050, 2051, 4099, 10007});
  operation.ceiling = plain_copy;
  return operation;
}

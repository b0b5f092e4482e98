#pragma once

#include "embedding.h"
#include "harness/float2_arrays.h"
#include "harness/host_affinities.h"
#include "harness/reference.h"

#include "common/device_buffer.h"

#include <vector>

// Affinities in device memory, with the matrix or without it.
class DeviceAffinities {
 public:
  DeviceAffinities(const HostAffinities& affinities, bool with_matrix)
      : d_matrix_(with_matrix ? as_matrix(affinities) : std::vector<float>()),
        d_starts_(affinities.starts),
        d_neighbours_(affinities.neighbours),
        d_values_(affinities.values) {}

  Affinities get() const {
    return {d_matrix_.data(), d_starts_.data(), d_neighbours_.data(), d_values_.data()};
  }

 private:
  DeviceBuffer<float> d_matrix_;
  DeviceBuffer<int> d_starts_, d_neighbours_;
  DeviceBuffer<float> d_values_;
};

// A map in device memory. The gradient starts as NaN, so an element that is not written is visible.
class DeviceMap {
 public:
  explicit DeviceMap(const ReferenceMap& map)
      : d_points_(as_float2(map.points)),
        d_steps_(as_float2(map.steps)),
        d_gains_(as_float2(map.gains)),
        d_gradient_(map.points.size() / 2) {
    d_gradient_.fill_bytes(0xff);
  }

  Map get() { return {d_points_.data(), d_steps_.data(), d_gains_.data(), d_gradient_.data()}; }

  ReferenceMap to_host() const {
    return {as_doubles(d_points_.to_host()), as_doubles(d_steps_.to_host()),
            as_doubles(d_gains_.to_host())};
  }
  std::vector<double> gradient() const { return as_doubles(d_gradient_.to_host()); }

 private:
  DeviceBuffer<float2> d_points_, d_steps_, d_gains_, d_gradient_;
};

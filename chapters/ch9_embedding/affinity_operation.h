#pragma once

#include "baselines/pair_rate.h"

#include "common/device_buffer.h"
#include "common/harness/operation.h"

#include <memory>

// What the operations that prepare the affinities, neighbours and shares, have in common.

constexpr RateUnit kGpairPerS{"Gpair/s", "gpairs_per_s", 1e-6};

// As little time as the arithmetic of the descent's pairs takes: see pair_rate.h.
inline Yardstick pairs_alone(Computation&) {
  const auto unused = std::make_shared<DeviceBuffer<float>>(1);
  const auto pairs = std::make_shared<double>(0);
  return {"arithmetic", "pair_rate", [=] { *pairs = pair_rate(unused->data()); },
          [=] { return *pairs; }};
}

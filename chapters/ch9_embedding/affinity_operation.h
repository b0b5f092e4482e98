#pragma once

#include "baselines/pair_rate.h"

#include "common/harness/operation.h"

// What the operations that prepare the affinities, neighbours and shares, have in common.

constexpr RateUnit kGpairPerS{"Gpair/s", "gpairs_per_s", 1e-6};

// As little time as the arithmetic of the descent's pairs takes: see pair_rate.h.
inline Yardstick pairs_alone(Computation&) {
  return arithmetic_alone("arithmetic", "pair_rate", pair_rate);
}

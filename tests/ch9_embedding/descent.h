#pragma once

#include "chapters/ch9_embedding/embedding.h"
#include "chapters/ch9_embedding/harness/device_state.h"
#include "chapters/ch9_embedding/harness/host_affinities.h"
#include "chapters/ch9_embedding/harness/reference.h"
#include "common/cuda_check.h"
#include "tests/ch9_embedding/guarded_map.h"
#include "tests/support/device_test.h"
#include "tests/support/guarded_array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

// A descent under test, embed() or embed_interpolated(), and expectations that do not depend on how
// it computes its gradient.
struct Descent {
  decltype(&embed) function;
  decltype(&embed_workspace_bytes) workspace_bytes;
  bool needs_matrix;
  Schedule schedule;

  // The map after iterations first .. last - 1. Fails if memory around the map or the workspace
  // changes, or a launch's error is left.
  GuardedMap run(const HostAffinities& affinities, const ReferenceMap& from, int first, int last,
                 cudaStream_t stream = nullptr) const {
    const DeviceAffinities d_affinities(affinities, needs_matrix);
    GuardedMap map(from);
    GuardedArray<char> d_workspace(std::vector<char>(workspace_bytes(affinities.count), '\xff'));
    function(d_affinities.get(), map.get(), affinities.count, first, last, schedule,
             d_workspace.data(), stream);
    expect_no_launch_error();
    CUDA_CHECK(cudaStreamSynchronize(stream));
    map.expect_intact_guards();
    d_workspace.expect_intact_guards("workspace");
    return map;
  }
};

// One call has more iterations than a graph of ten; exaggeration should end during the call.
inline void expect_the_same_one_by_one(const Descent& descent, const HostAffinities& affinities) {
  const ReferenceMap start = start_map(affinities.count, /*seed=*/10);
  ReferenceMap one_by_one = start;
  for (int iteration = 0; iteration < 38; ++iteration) {
    const GuardedMap next = descent.run(affinities, one_by_one, iteration, iteration + 1);
    one_by_one = {next.points(), next.steps(), next.gains()};
  }
  EXPECT_EQ(descent.run(affinities, start, 0, 38).points(), one_by_one.points);
}

// A NaN must not get lost: it reaches every point through Z.
inline void expect_a_nan_reaches_every_point(const Descent& descent,
                                             const HostAffinities& affinities) {
  ReferenceMap from = state(affinities.count, 1, /*seed=*/7);
  from.points[2 * 33] = NAN;
  const int late = descent.schedule.early_iterations;
  for (const double component : descent.run(affinities, from, late, late + 1).points()) {
    EXPECT_TRUE(std::isnan(component));
  }
}

inline void expect_the_stream_that_is_given(const Descent& descent,
                                            const HostAffinities& affinities) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const ReferenceMap start = start_map(affinities.count, /*seed=*/8);
  const GuardedMap there = descent.run(affinities, start, 0, 3, stream);
  CUDA_CHECK(cudaStreamDestroy(stream));
  EXPECT_EQ(there.points(), descent.run(affinities, start, 0, 3).points());
}

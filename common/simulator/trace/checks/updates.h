#pragma once

#include "trace/checks/race_detector.h"
#include "trace/warp/access.h"

#include "simulator/findings.h"

#include <cstddef>

namespace cuda_simulator {

// How one statement causes a race: both threads load an element, change it and store it, as in
// `x += 1`; or one thread loads an element that the other stores, as in `s[t] += s[t - 1]`.
enum class Update { none, same, neighbour };

// `request` has the later access, `offset` is its lane's; the places are those of the two accesses.
Update update_of(const RaceDetector::Race& race, const WarpRequest& request, std::size_t offset,
                 const Finding::Place& earlier, const Finding::Place& later);

}  // namespace cuda_simulator

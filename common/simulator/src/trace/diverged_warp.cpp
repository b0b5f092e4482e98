#include "trace/diverged_warp.h"

#include "lanes.h"

#include <algorithm>
#include <limits>

namespace cuda_simulator {

DivergedWarp::DivergedWarp(const WarpLog& log, ControlFlow& flow, std::uintptr_t start,
                           std::uint32_t ended, bool approximate, WarpListener& listener)
    : log_(log),
      flow_(flow),
      start_(flow.node_of(start)),
      approximate_(approximate),
      listener_(listener) {
  learn_paths(ended);
}

void DivergedWarp::learn_paths(std::uint32_t ended) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    Node node = start_;
    const std::uint32_t length = log_.length(lane);
    for (std::uint32_t n = 0; n < length; ++n) {
      const Step step = log_.step_of(lane, n);
      if (!step.is_access()) node = flow_.follow(node, step.code());
    }
    if (ended >> lane & 1) flow_.add_edge(node, ControlFlow::kEnd);
  }
}

void DivergedWarp::replay() {
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    lanes |= static_cast<std::uint32_t>(log_.length(lane) > 0) << lane;
  }
  run(lanes, start_, ControlFlow::kEnd, approximate_);
}

std::uint32_t DivergedWarp::lanes_that_enter(Step block, std::uint32_t lanes) const {
  std::uint32_t entering = 0;
  for_each_lane(lanes, [&](int lane) {
    entering |= static_cast<std::uint32_t>(log_.step_of(lane, position_[lane]) == block) << lane;
  });
  return entering;
}

// Runs lanes that are in `node` until all have ended or are about to enter `stop`; returns the
// latter.
std::uint32_t DivergedWarp::run(std::uint32_t lanes, Node node, Node stop, bool approximate) {
  const auto next_of = [&](std::uint32_t some) {
    const int lane = __builtin_ctz(some);
    return log_.step_of(lane, position_[lane]);
  };
  for (;;) {
    lanes = run_accesses(lanes, approximate);
    if (lanes == 0) return 0;

    Node next;
    if (const Step block = next_of(lanes); lanes_that_enter(block, lanes) == lanes) {
      next = flow_.follow(node, block.code());
    } else {
      report_parting(node, lanes);
      next = flow_.meeting_point(node);
      std::uint32_t met = 0;
      while (lanes != 0) {
        const Step side_block = next_of(lanes);
        const std::uint32_t group = lanes_that_enter(side_block, lanes);
        const Node side = flow_.follow(node, side_block.code());
        met |= side == next ? group : run_side(group, side, node, next, approximate);
        lanes &= ~group;
      }
      lanes = met;
      if (lanes == 0) return 0;
    }
    if (next == stop) return lanes;
    enter(next, lanes);
    node = next;
  }
}

// One of the ways that lanes take from `branch`, up to where they meet.
std::uint32_t DivergedWarp::run_side(std::uint32_t lanes, Node side, Node branch, Node meeting_point,
                                     bool approximate) {
  const bool stays_in_loop = flow_.reaches(side, branch, meeting_point);
  enter(side, lanes);
  return run(lanes, side, meeting_point, approximate || stays_in_loop);
}

void DivergedWarp::enter(Node node, std::uint32_t lanes) {
  for_each_lane(lanes, [&](int lane) { ++position_[lane]; });
  listener_.on_block(flow_.code_of(node), lanes);
}

// Makes the accesses up to the end of the basic block; returns the lanes whose path goes on. Lanes
// in one block make the same accesses, but for one that is cut in pieces according to its address.
std::uint32_t DivergedWarp::run_accesses(std::uint32_t lanes, bool approximate) {
  for (;;) {
    std::uint32_t with_access = 0, unfinished = 0;
    for_each_lane(lanes, [&](int lane) {
      if (at_end(lane)) return;
      unfinished |= 1u << lane;
      with_access |= static_cast<std::uint32_t>(log_.step_of(lane, position_[lane]).is_access())
                     << lane;
    });
    if (with_access == 0) return unfinished;

    const int leader = __builtin_ctz(with_access);
    const WarpLog::LaneStep access = log_.access_of(leader, position_[leader]);
    std::array<std::uintptr_t, kWarpSize> addresses;
    std::uint32_t together = 0, unchecked = 0;
    for_each_lane(with_access, [&](int lane) {
      const WarpLog::LaneStep other = log_.access_of(lane, position_[lane]);
      if (other.step != access.step || other.array.region != access.array.region) return;
      together |= 1u << lane;
      unchecked |= static_cast<std::uint32_t>(!log_.is_checked(lane, position_[lane])) << lane;
      addresses[lane] = other.address;
      ++position_[lane];
    });
    listener_.on_request(
        {access.step, access.array, together, unchecked, addresses.data(), approximate});
  }
}

void DivergedWarp::report_parting(Node node, std::uint32_t lanes) {
  std::uintptr_t next = std::numeric_limits<std::uintptr_t>::max();
  for_each_lane(lanes, [&](int lane) {
    const std::uintptr_t code = log_.step_of(lane, position_[lane]).code();
    if (code > flow_.code_of(node)) next = std::min(next, code);
  });
  listener_.on_parting(flow_.code_of(node), next);
}

}  // namespace cuda_simulator

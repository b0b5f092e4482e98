#include "trace/warp/diverged_warp.h"

#include "execution/lanes.h"

#include <algorithm>
#include <limits>

namespace cuda_simulator {

DivergedWarp::DivergedWarp(const WarpLog& log, int warp, ControlFlow& flow, std::uintptr_t start,
                           WarpListener& listener)
    : log_(log), warp_(warp), flow_(flow), start_(flow.node_of(start)), listener_(listener) {
  last_block_.fill(start);
}

void DivergedWarp::replay(std::uint32_t finished, bool approximate) {
  learn_paths(finished);
  std::uint32_t lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    lanes |= static_cast<std::uint32_t>(log_.length(lane) > 0) << lane;
  }
  listener_.on_basic_block(flow_.code_of(start_), lanes, nullptr);
  run(lanes, start_, approximate);
}

void DivergedWarp::learn_paths(std::uint32_t finished) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    Node node = start_;
    const std::uint32_t length = log_.length(lane);
    for (std::uint32_t n = 0; n < length; ++n) {
      const Step step = log_.step_of(lane, n);
      if (!step.is_access() || !flow_.holds(node, step.code()))
        node = flow_.follow(node, step.code());
    }
    if (length > 0 && finished >> lane & 1) flow_.add_edge(node, ControlFlow::kEnd);
  }
}

std::uint32_t DivergedWarp::lanes_that_enter(Step block, std::uint32_t lanes) const {
  std::uint32_t entering = 0;
  for_each_lane(lanes, [&](int lane) {
    entering |= static_cast<std::uint32_t>(next_entry(lane) == block) << lane;
  });
  return entering;
}

// An access can also begin a node: a function has returned into the middle of a basic block.
Step DivergedWarp::next_entry(int lane) const {
  const Step step = log_.step_of(lane, position_[lane]);
  return step.is_access() ? Step::basic_block(step.code()) : step;
}

Step DivergedWarp::next_step(std::uint32_t lanes) const { return next_entry(__builtin_ctz(lanes)); }

// Runs lanes that are in `node` until each has ended or is about to enter a stop; returns the
// latter lanes.
std::uint32_t DivergedWarp::run(std::uint32_t lanes, Node node, bool approximate) {
  std::uint32_t at_stops = 0;
  const bool is_approximate_outside = approximate;
  Node loop_end = kNoNode;  // of the innermost loop whose iterations make it approximate
  for (;;) {
    lanes = run_accesses(lanes, node, approximate);
    if (lanes == 0) return at_stops;

    const Step block = next_step(lanes);
    Node next;
    if (lanes_that_enter(block, lanes) == lanes) {
      next = flow_.follow(node, block.code());
    } else {
      next = flow_.reconvergence_point(node);
      const SidesRun sides = run_sides(lanes, node, next, approximate);
      if (sides.last.lanes != 0) {
        if (sides.last_stays_in_loop && !approximate) {
          approximate = true;
          loop_end = next;
        }
        next = sides.last.entry;
        lanes = sides.last.lanes;
      } else {
        at_stops |= sides.arrived;
        lanes = 0;
        for_each_lane(at_stops, [&](int lane) {
          lanes |= static_cast<std::uint32_t>(next_step(1u << lane).code() == flow_.code_of(next))
                   << lane;
        });
        at_stops &= ~lanes;
        if (lanes == 0) return at_stops;
      }
    }
    if (is_stop(next)) return at_stops | lanes;
    if (next == loop_end) {
      approximate = is_approximate_outside;
      loop_end = kNoNode;
    }
    enter(next, lanes);
    node = next;
  }
}

// Runs lanes that diverge at the end of `branch` until they reconverge, reach a stop, or end. The
// sides run one at a time. A side that another side leads to, as at `||`, waits for the lanes that
// come from there. If all remaining lanes are together in the last side, the caller runs it.
// Otherwise each iteration of a loop in which lanes diverge and reconverge would be one call
// deeper, on a stack that may be a thread's.
DivergedWarp::SidesRun DivergedWarp::run_sides(std::uint32_t lanes, Node branch,
                                               Node reconvergence_point, bool approximate) {
  std::vector<Side> sides;
  std::vector<std::uint32_t> ways;
  for (std::uint32_t rest = lanes; rest != 0; rest &= ~ways.back()) {
    const Step block = next_step(rest);
    ways.push_back(lanes_that_enter(block, rest));
    sides.push_back({flow_.follow(branch, block.code()), ways.back()});
  }
  report_divergence(lanes, ways);

  std::uint32_t arrived = 0;
  const std::size_t outer_stops = stops_.size();
  while (!sides.empty()) {
    const Side side = take_first(sides, reconvergence_point);
    if (sides.empty() && arrived == 0)
      return {0, side, flow_.reaches(side.entry, branch, reconvergence_point)};
    stops_.push_back(reconvergence_point);
    for (const Side& other : sides) stops_.push_back(other.entry);
    std::uint32_t stopped = side.lanes;
    if (!is_stop(side.entry)) {
      const bool stays_in_loop = flow_.reaches(side.entry, branch, reconvergence_point);
      enter(side.entry, side.lanes);
      stopped = run(side.lanes, side.entry, approximate || stays_in_loop);
    }
    stops_.resize(outer_stops);
    for (Side& other : sides) {
      const std::uint32_t joining =
          lanes_that_enter(Step::basic_block(flow_.code_of(other.entry)), stopped);
      other.lanes |= joining;
      stopped &= ~joining;
    }
    arrived |= stopped;
  }
  return {arrived, {kNoNode, 0}, false};
}

// Removes a side to which no other side leads; the first one if they lead to each other.
DivergedWarp::Side DivergedWarp::take_first(std::vector<Side>& sides,
                                            Node reconvergence_point) const {
  const auto waits = [&](const Side& side) {
    return std::any_of(sides.begin(), sides.end(), [&](const Side& other) {
      return other.entry != side.entry &&
             flow_.reaches(other.entry, side.entry, reconvergence_point);
    });
  };
  auto first = std::find_if_not(sides.begin(), sides.end(), waits);
  if (first == sides.end()) first = sides.begin();
  const Side side = *first;
  sides.erase(first);
  return side;
}

bool DivergedWarp::is_stop(Node node) const {
  return std::find(stops_.begin(), stops_.end(), node) != stops_.end();
}

void DivergedWarp::enter(Node node, std::uint32_t lanes) {
  std::uint32_t in_new_block = 0;
  for_each_lane(lanes, [&](int lane) {
    if (log_.step_of(lane, position_[lane]).is_access()) return;
    in_new_block |= 1u << lane;
    last_block_[lane] = flow_.code_of(node);
    ++position_[lane];
  });
  if (in_new_block != 0) listener_.on_basic_block(flow_.code_of(node), in_new_block, nullptr);
}

// Executes the accesses up to the end of the node; returns the lanes whose path continues. Lanes in
// one node execute the same accesses, except for an access that is split according to its address.
std::uint32_t DivergedWarp::run_accesses(std::uint32_t lanes, Node node, bool approximate) {
  for (;;) {
    std::uint32_t with_access = 0, unfinished = 0;
    for_each_lane(lanes, [&](int lane) {
      if (at_end(lane)) return;
      unfinished |= 1u << lane;
      const Step step = log_.step_of(lane, position_[lane]);
      if (step.is_access() && flow_.holds(node, step.code())) with_access |= 1u << lane;
    });
    if (with_access == 0) return unfinished;

    const int leader = __builtin_ctz(with_access);
    WarpLog::LaneStep access = log_.access_of(leader, position_[leader]);
    std::array<std::uintptr_t, kWarpSize> addresses;
    std::uint32_t together = 0, unchecked = 0;
    for_each_lane(with_access, [&](int lane) {
      const WarpLog::LaneStep other = log_.access_of(lane, position_[lane]);
      if (other.step != access.step || other.array.region != access.array.region) return;
      together |= 1u << lane;
      access.array.may_be_uninitialised &= other.array.may_be_uninitialised;
      unchecked |= static_cast<std::uint32_t>(!log_.is_checked(lane, position_[lane])) << lane;
      addresses[lane] = other.address;
      ++position_[lane];
    });
    listener_.on_request(
        {access.step, access.array, warp_, together, unchecked, addresses.data(), approximate});
  }
}

void DivergedWarp::report_divergence(std::uint32_t lanes, const std::vector<std::uint32_t>& ways) {
  const std::uintptr_t block = last_block_[__builtin_ctz(lanes)];
  std::uintptr_t next = std::numeric_limits<std::uintptr_t>::max();
  bool have_returned = false;  // from a call, to the place where they diverged before it
  for_each_lane(lanes, [&](int lane) {
    const Step step = log_.step_of(lane, position_[lane]);
    have_returned |= step.is_access();
    if (step.code() > block) next = std::min(next, step.code());
  });
  if (have_returned) return;
  listener_.on_divergence(block, next, warp_, ways);
}

}  // namespace cuda_simulator

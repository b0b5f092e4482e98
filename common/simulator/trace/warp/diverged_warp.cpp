#include "trace/warp/diverged_warp.h"

#include "execution/lanes.h"

#include <algorithm>
#include <limits>

namespace cuda_simulator {
namespace {

constexpr std::array<std::uint32_t, kWarpSize> all_bits() {
  std::array<std::uint32_t, kWarpSize> bits{};
  for (int lane = 0; lane < kWarpSize; ++lane) bits[lane] = 1u << lane;
  return bits;
}
constexpr std::array<std::uint32_t, kWarpSize> kBits = all_bits();

}  // namespace

DivergedWarp::DivergedWarp(const WarpLog& log, int warp, ControlFlow& flow, std::uintptr_t start,
                           WarpListener& listener, Memory& memory)
    : log_(log),
      warp_(warp),
      flow_(flow),
      start_(flow.node_of(start)),
      listener_(listener),
      steps_(memory.steps),
      stops_(memory.stops),
      sides_(memory.sides),
      ways_(memory.ways) {
  stops_.clear();  // an error may have ended the last replay at any point
  sides_.clear();
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
  steps_.clear();
  for (int lane = 0; lane < kWarpSize; ++lane) {
    first_[lane] = steps_.size();
    log_.append_steps_of(lane, steps_);
    Node node = start_;
    std::uintptr_t entry = flow_.code_of(start_);  // the code of `node`
    for (std::size_t n = first_[lane]; n < steps_.size(); ++n) {
      const Step step = steps_[n];
      if (step.is_access() && flow_.holds(node, step.code())) continue;
      node = flow_.follow_code(entry, step.code());
      entry = step.code();
    }
    const bool has_steps = steps_.size() > first_[lane];
    if (has_steps && finished >> lane & 1) flow_.add_edge(node, ControlFlow::kEnd);
    steps_.push_back(Step());
  }
  for (int lane = 0; lane < kWarpSize; ++lane) next_[lane] = steps_.data() + first_[lane];
  advance(~0u, 0);
}

std::uint32_t DivergedWarp::lanes_that_enter(std::uintptr_t code, std::uint32_t lanes) const {
  std::uint32_t entering = 0;  // for all lanes, without a branch: the compiler vectorises the loop
  for (int lane = 0; lane < kWarpSize; ++lane)
    entering |= (codes_[lane] == static_cast<std::uint32_t>(code) ? ~0u : 0u) & kBits[lane];
  return entering & lanes;
}

void DivergedWarp::advance(std::uint32_t lanes, int steps) {
  std::uint32_t at_access = 0, at_end = 0;
  for_each_lane(lanes, [&](int lane) {
    const Step step = *(next_[lane] += steps);
    codes_[lane] = static_cast<std::uint32_t>(step.code());
    at_access |= static_cast<std::uint32_t>(step.is_access()) << lane;
    at_end |= static_cast<std::uint32_t>(step == Step()) << lane;
  });
  at_access_ = (at_access_ & ~lanes) | at_access;
  at_end_ |= at_end;
}

// Runs lanes that are in `node` until each has ended or is about to enter a stop; returns the
// latter lanes.
std::uint32_t DivergedWarp::run(std::uint32_t lanes, Node node, bool approximate) {
  std::uint32_t at_stops = 0;
  const bool is_approximate_outside = approximate;
  Node loop_end = kNoNode;  // of the innermost loop whose iterations make it approximate
  for (;;) {
    lanes = run_accesses(lanes, node, approximate);
    if (lanes == 0) return at_stops;

    const std::uintptr_t code = next_code(lanes);
    Node next;
    if (lanes_that_enter(code, lanes) == lanes) {
      next = flow_.follow(node, code);
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
        lanes = lanes_that_enter(flow_.code_of(next), at_stops);
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
  const std::size_t first_side = sides_.size();
  ways_.clear();
  for (std::uint32_t rest = lanes; rest != 0; rest &= ~ways_.back()) {
    const std::uintptr_t code = next_code(rest);
    ways_.push_back(lanes_that_enter(code, rest));
    sides_.push_back({flow_.follow(branch, code), ways_.back()});
  }
  report_divergence(lanes);

  std::uint32_t arrived = 0;
  const std::size_t outer_stops = stops_.size();
  while (sides_.size() > first_side) {
    const Side side = take_first(first_side, reconvergence_point);
    if (sides_.size() == first_side && arrived == 0)
      return {0, side, flow_.reaches(side.entry, branch, reconvergence_point)};
    stops_.push_back(reconvergence_point);
    for (std::size_t i = first_side; i < sides_.size(); ++i) stops_.push_back(sides_[i].entry);
    std::uint32_t stopped = side.lanes;
    if (!is_stop(side.entry)) {
      const bool stays_in_loop = flow_.reaches(side.entry, branch, reconvergence_point);
      enter(side.entry, side.lanes);
      stopped = run(side.lanes, side.entry, approximate || stays_in_loop);
    }
    stops_.resize(outer_stops);
    for (std::size_t i = first_side; i < sides_.size(); ++i) {
      const std::uint32_t joining = lanes_that_enter(flow_.code_of(sides_[i].entry), stopped);
      sides_[i].lanes |= joining;
      stopped &= ~joining;
    }
    arrived |= stopped;
  }
  return {arrived, {kNoNode, 0}, false};
}

// Removes the first side, from `first_side` on, to which no other one leads; the first one of all
// if they lead to each other.
DivergedWarp::Side DivergedWarp::take_first(std::size_t first_side, Node reconvergence_point) {
  const auto begin = sides_.begin() + static_cast<std::ptrdiff_t>(first_side);
  const auto waits = [&](const Side& side) {
    return std::any_of(begin, sides_.end(), [&](const Side& other) {
      return other.entry != side.entry &&
             flow_.reaches(other.entry, side.entry, reconvergence_point);
    });
  };
  auto first = std::find_if_not(begin, sides_.end(), waits);
  if (first == sides_.end()) first = begin;
  const Side side = *first;
  sides_.erase(first);
  return side;
}

bool DivergedWarp::is_stop(Node node) const {
  return std::find(stops_.begin(), stops_.end(), node) != stops_.end();
}

void DivergedWarp::enter(Node node, std::uint32_t lanes) {
  const std::uint32_t in_new_block = lanes & ~at_access_;
  if (in_new_block == 0) return;
  advance(in_new_block, 1);
  listener_.on_basic_block(flow_.code_of(node), in_new_block, nullptr);
}

// Executes the accesses up to the end of the node; returns the lanes whose path continues. Lanes in
// one node execute the same accesses, except for an access that is split according to its address.
std::uint32_t DivergedWarp::run_accesses(std::uint32_t lanes, Node node, bool approximate) {
  for (;;) {
    std::uint32_t with_access = 0;
    for_each_lane(lanes & at_access_, [&](int lane) {
      with_access |= static_cast<std::uint32_t>(flow_.holds(node, codes_[lane])) << lane;
    });
    if (with_access == 0) return lanes & ~at_end_;

    const int leader = __builtin_ctz(with_access);
    std::uint32_t own = own_accesses_[leader];
    WarpLog::LaneStep access = log_.access_of(leader, position(leader), own);
    std::array<std::uintptr_t, kWarpSize> addresses;
    std::uint32_t together = 0, unchecked = 0;
    for_each_lane(with_access, [&](int lane) {
      own = own_accesses_[lane];
      const WarpLog::LaneStep other = log_.access_of(lane, position(lane), own);
      if (other.step != access.step || other.array.region != access.array.region) return;
      together |= 1u << lane;
      access.array.may_be_uninitialised &= other.array.may_be_uninitialised;
      unchecked |= static_cast<std::uint32_t>(!log_.is_checked(lane, position(lane))) << lane;
      addresses[lane] = other.address;
      own_accesses_[lane] = own;
    });
    advance(together, 1);
    listener_.on_request(
        {access.step, access.array, warp_, together, unchecked, addresses.data(), approximate});
  }
}

std::uintptr_t DivergedWarp::last_block_of(int lane) const {
  for (std::uint32_t n = position(lane); n > 0; --n) {
    const Step step = steps_[first_[lane] + n - 1];
    if (!step.is_access()) return step.code();
  }
  return flow_.code_of(start_);
}

void DivergedWarp::report_divergence(std::uint32_t lanes) {
  // From a call, to the place where they diverged before it.
  const bool have_returned = (lanes & at_access_) != 0;
  if (have_returned) return;
  const std::uintptr_t block = last_block_of(__builtin_ctz(lanes));
  std::uintptr_t next = std::numeric_limits<std::uintptr_t>::max();
  for_each_lane(lanes, [&](int lane) {
    if (codes_[lane] > block) next = std::min<std::uintptr_t>(next, codes_[lane]);
  });
  listener_.on_divergence(block, next, warp_, ways_);
}

}  // namespace cuda_simulator

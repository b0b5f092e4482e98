#pragma once

#include "trace/warp/access.h"
#include "trace/warp/control_flow.h"
#include "trace/warp/warp_listener.h"
#include "trace/warp/warp_log.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// Replays the paths of lanes that did not all go the same way, as the hardware runs them: lanes
// that part at a branch run one side after the other, and meet again where the sides do.
//
// Where lanes leave a loop after different numbers of turns, nvcc may have unrolled it, and how the
// turns fall together cannot be known from here: such requests are marked approximate.
class DivergedWarp {
 public:
  // `warp` is the warp's number in the block. The paths begin at `start`, the code of a basic block
  // or of a barrier in the middle of one.
  DivergedWarp(const WarpLog& log, int warp, ControlFlow& flow, std::uintptr_t start,
               WarpListener& listener);

  // `finished` are the lanes that have ended or wait for others; the rest was interrupted anywhere.
  void replay(std::uint32_t finished, bool approximate);

 private:
  using Node = ControlFlow::Node;

  struct Side {
    Node entry;
    std::uint32_t lanes;
  };
  // What running the sides of a branch has left: the lanes that have not ended, or one more side.
  struct SidesRun {
    std::uint32_t arrived;
    Side last;  // without lanes if there is none
    bool last_stays_in_loop;
  };
  static constexpr Node kNoNode = -1;

  void learn_paths(std::uint32_t finished);
  std::uint32_t run(std::uint32_t lanes, Node node, bool approximate);
  SidesRun run_sides(std::uint32_t lanes, Node branch, Node reconvergence_point, bool approximate);
  Side take_first(std::vector<Side>& sides, Node reconvergence_point) const;
  bool is_stop(Node node) const;
  // Which node a lane enters next, after all accesses of the one in which it is.
  Step next_entry(int lane) const;
  // That of the first of some lanes.
  Step next_step(std::uint32_t lanes) const;
  std::uint32_t lanes_that_enter(Step block, std::uint32_t lanes) const;
  void enter(Node node, std::uint32_t lanes);
  std::uint32_t run_accesses(std::uint32_t lanes, Node node, bool approximate);
  bool at_end(int lane) const { return position_[lane] == log_.length(lane); }
  void report_divergence(std::uint32_t lanes, const std::vector<std::uint32_t>& ways);

  const WarpLog& log_;
  const int warp_;
  ControlFlow& flow_;
  const Node start_;
  WarpListener& listener_;
  std::array<std::uint32_t, kWarpSize> position_{};
  std::array<std::uintptr_t, kWarpSize> last_block_;  // code of the last basic block of each lane
  std::vector<Node> stops_;                           // where lanes are awaited
};

}  // namespace cuda_simulator

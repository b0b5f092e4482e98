#pragma once

#include "trace/warp/access.h"
#include "trace/warp/control_flow.h"
#include "trace/warp/warp_listener.h"
#include "trace/warp/warp_log.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// Replays the paths of lanes that have diverged, like the hardware runs them: lanes that diverge at
// a branch run one side at a time, and reconverge where the sides do.
// If lanes leave a loop after different numbers of iterations, nvcc may have unrolled it. Then it
// is unknown which iterations of different lanes are executed together, and such requests are
// marked approximate.
class DivergedWarp {
 public:
  // `warp` is the warp's number in the block. The paths begin at `start`, the code of a basic block
  // or of a barrier in the middle of a block.
  DivergedWarp(const WarpLog& log, int warp, ControlFlow& flow, std::uintptr_t start,
               WarpListener& listener);

  // `finished` contains the lanes that have ended or wait for others; the other lanes were
  // interrupted anywhere.
  void replay(std::uint32_t finished, bool approximate);

 private:
  using Node = ControlFlow::Node;

  struct Side {
    Node entry;
    std::uint32_t lanes;
  };
  // The state after the sides of a branch have run: the lanes that have not ended, or one more
  // side.
  struct SidesRun {
    std::uint32_t arrived;
    Side last;  // has no lanes if there is none
    bool last_stays_in_loop;
  };
  static constexpr Node kNoNode = -1;

  void learn_paths(std::uint32_t finished);
  std::uint32_t run(std::uint32_t lanes, Node node, bool approximate);
  SidesRun run_sides(std::uint32_t lanes, Node branch, Node reconvergence_point, bool approximate);
  Side take_first(std::vector<Side>& sides, Node reconvergence_point) const;
  bool is_stop(Node node) const;
  // The node that a lane enters next, after all accesses of its current node.
  Step next_entry(int lane) const;
  // The next step of the first of these lanes.
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
  std::array<std::uintptr_t, kWarpSize> last_block_;  // the code of each lane's last basic block
  std::vector<Node> stops_;                           // nodes where other lanes wait
};

}  // namespace cuda_simulator

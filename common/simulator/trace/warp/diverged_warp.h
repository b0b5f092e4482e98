#pragma once

#include "trace/warp/access.h"
#include "trace/warp/control_flow.h"
#include "trace/warp/warp_listener.h"
#include "trace/warp/warp_log.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// Replays the paths of lanes that have diverged, like the hardware runs them: lanes that diverge at
// a branch run one side at a time, and reconverge where the sides do.
// If lanes leave a loop after different numbers of iterations, nvcc may have unrolled it. Then it
// is unknown which iterations of different lanes are executed together, and such requests are
// marked approximate.
class DivergedWarp {
  using Node = ControlFlow::Node;
  struct Side {
    Node entry;
    std::uint32_t lanes;
  };

 public:
  // Memory that is used again for each warp.
  struct Memory {
    // The steps of all lanes, lane by lane. An empty step follows the last one of each lane.
    std::vector<Step> steps;
    std::vector<Node> stops;  // nodes where other lanes wait
    std::vector<Side> sides;  // that have not run, of all branches that are being run
    std::vector<std::uint32_t> ways;
  };

  // `warp` is the warp's number in the block. The paths begin at `start`, the code of a basic block
  // or of a barrier in the middle of a block.
  DivergedWarp(const WarpLog& log, int warp, ControlFlow& flow, std::uintptr_t start,
               WarpListener& listener, Memory& memory);

  // `finished` contains the lanes that have ended or wait for others; the other lanes were
  // interrupted anywhere.
  void replay(std::uint32_t finished, bool approximate);

 private:
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
  Side take_first(std::size_t first_side, Node reconvergence_point);
  bool is_stop(Node node) const;
  // The code of the node that the first of these lanes enters next, after all accesses of its
  // current node. An access can also begin a node: a function has returned into the middle of a
  // basic block.
  std::uintptr_t next_code(std::uint32_t lanes) const { return codes_[__builtin_ctz(lanes)]; }
  std::uint32_t lanes_that_enter(std::uintptr_t code, std::uint32_t lanes) const;
  // Moves these lanes on by a number of steps.
  void advance(std::uint32_t lanes, int steps);
  void enter(Node node, std::uint32_t lanes);
  std::uint32_t run_accesses(std::uint32_t lanes, Node node, bool approximate);
  std::uint32_t position(int lane) const {
    return static_cast<std::uint32_t>(next_[lane] - (steps_.data() + first_[lane]));
  }
  std::uintptr_t last_block_of(int lane) const;
  // `ways_` has the lanes that go each way.
  void report_divergence(std::uint32_t lanes);

  const WarpLog& log_;
  const int warp_;
  ControlFlow& flow_;
  const Node start_;
  WarpListener& listener_;
  std::vector<Step>& steps_;
  std::vector<Node>& stops_;
  std::vector<Side>& sides_;
  std::vector<std::uint32_t>& ways_;
  std::array<std::size_t, kWarpSize> first_;  // the index of each lane's first step
  std::array<const Step*, kWarpSize> next_;   // each lane's next step
  // Its code, for a comparison of all lanes at once: programs are linked below 4 GB. Lanes whose
  // next step is an access, and lanes that have none.
  std::array<std::uint32_t, kWarpSize> codes_;
  std::uint32_t at_access_ = 0, at_end_ = 0;
  std::array<std::uint32_t, kWarpSize> own_accesses_{};  // see WarpLog::access_of()
};

}  // namespace cuda_simulator

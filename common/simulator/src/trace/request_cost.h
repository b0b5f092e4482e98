#pragma once

#include "trace/access.h"

namespace cuda_simulator {

// The 32-byte sectors that a request touches in global memory. Counted as the hardware's
// l1tex__t_sectors does; compared with an H200 in docs/simulator.md.
int sectors(const WarpRequest& request);

// The fewest sectors that can hold the bytes its lanes ask for.
int ideal_sectors(const WarpRequest& request);

// Passes through the 32 banks of 4 bytes. Lanes that ask for the same word share it. 8-byte
// accesses go in two halves of a warp, 16-byte ones in four quarters.
struct Wavefronts {
  int taken;  // passes
  int ideal;  // passes without a conflict
  int ways;   // the worst pass group's: how many words of one bank it wants
};
Wavefronts wavefronts(const WarpRequest& request);

}  // namespace cuda_simulator

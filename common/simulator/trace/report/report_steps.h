#pragma once

#include "trace/counts/access_counts.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <functional>
#include <iosfwd>

namespace cuda_simulator {

// The index of an access in the "accesses" of its kernel's entry in the report.
using AccessNumber = std::function<int(Step step, MemorySpace space)>;

// Writes the kernel's recorded blocks as the entry "steps" (docs/simulator.md describes it), in at
// most about `most_bytes`: further steps are omitted and counted.
void write_steps(std::ostream& out, const KernelCounts& kernel, const AccessNumber& access_number,
                 std::size_t most_bytes);

}  // namespace cuda_simulator

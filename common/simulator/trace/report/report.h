#pragma once

#include "trace/checks/unfreed_memory.h"
#include "trace/counts/launch_counts.h"
#include "trace/counts/link_counts.h"

#include <iosfwd>
#include <vector>

namespace cuda_simulator {

// The report as JSON; docs/simulator.md describes the schema. library_computed: the replacement of a
// library, which has no counts, has computed something.
using Unfreed = std::vector<UnfreedMemory::Place>;
void write_report(const TracedKernels& kernels, const LinkCounts& links, const Unfreed& unfreed,
                  bool library_computed, std::ostream& out);

// At the program's end: writes the report to the file that CUDA_SIMULATOR_REPORT names, if it is
// set. Makes the program fail if there are findings that no test has taken.
void finish_report(const TracedKernels& kernels, const LinkCounts& links, const Unfreed& unfreed,
                   bool library_computed);

}  // namespace cuda_simulator

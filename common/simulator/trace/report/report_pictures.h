#pragma once

#include "trace/counts/access_counts.h"

#include <iosfwd>

namespace cuda_simulator {

// The data of pictures in the report, as JSON; docs/simulator.md has the schema.
void write_example(std::ostream& out, const RequestExample& example, const KernelCounts& kernel);
void write_elements(std::ostream& out, const ElementMap& elements, const KernelCounts& kernel);

}  // namespace cuda_simulator

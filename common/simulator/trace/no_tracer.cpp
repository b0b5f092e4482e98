// The plain build, which has no tracer.

#include "trace/tracer.h"

#include "simulator/atomics.h"
#include "simulator/keywords.h"

namespace cuda_simulator {

Tracer* program_tracer() { return nullptr; }

void trace_access(const volatile void*, std::size_t, AccessKind, const void*) {}
void unveil(const volatile void*, std::size_t) {}

}  // namespace cuda_simulator

#pragma once

#include <cuda_runtime.h>

// The simulator has no version of CUDA, and nothing for a profiler to see.
#if defined(CUDART_VERSION) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

// A stretch of the host's time with a name, which Nsight Systems shows above what the GPU does in
// it. Costs next to nothing where no profiler looks on, and nothing without the Toolkit's header.
// docs/profiling.md says how to look.
class ProfilerRange {
 public:
#ifdef NVTX_VERSION
  explicit ProfilerRange(const char* name) { nvtxRangePushA(name); }
  ~ProfilerRange() { nvtxRangePop(); }
#else
  explicit ProfilerRange(const char*) {}
  ~ProfilerRange() {}
#endif
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

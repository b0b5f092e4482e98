#pragma once

#include <cuda_runtime.h>

// The simulator has no CUDA version, and its programs are not profiled.
#if defined(CUDART_VERSION) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

// A named range of host time. Nsight Systems shows it above the GPU's work in that range. It costs
// almost nothing without a profiler, and nothing without the Toolkit's header. docs/profiling.md
// shows how to use it.
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

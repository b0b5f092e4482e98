#pragma once

#include <dlfcn.h>

// The clock of the GPU's multiprocessors, if there is only one GPU, from NVML, a library of the
// driver. It is loaded only here, because no program needs it otherwise.
//
// Source: NVML API Reference, Device Queries.
class SmClock {
 public:
  SmClock() {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    unsigned devices = 0;
    if (!library_ || call<int()>("nvmlInit_v2") != 0) return;
    is_initialised_ = true;
    const bool is_only_one =
        call<int(unsigned*)>("nvmlDeviceGetCount_v2", &devices) == 0 && devices == 1;
    if (is_only_one) call<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2", 0u, &device_);
  }
  ~SmClock() {
    if (is_initialised_) call<int()>("nvmlShutdown");
    if (library_) dlclose(library_);
  }
  SmClock(const SmClock&) = delete;
  SmClock& operator=(const SmClock&) = delete;

  // Whether the clock can be read.
  bool is_known() const { return device_ != nullptr; }

  // The current clock in MHz; 0 if the driver does not report it.
  int mhz() const {
    constexpr int kOfMultiprocessors = 1;
    unsigned mhz = 0;
    const bool is_read =
        device_ && call<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo", device_,
                                                    kOfMultiprocessors, &mhz) == 0;
    return is_read ? static_cast<int>(mhz) : 0;
  }

 private:
  // The result of NVML's function: 0 if it succeeds, -1 if the library lacks it.
  template <typename Function, typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<Function*>(dlsym(library_, name));
    return function ? function(arguments...) : -1;
  }

  void* library_ = nullptr;
  bool is_initialised_ = false;
  void* device_ = nullptr;
};

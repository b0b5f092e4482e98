#pragma once

#include <dlfcn.h>

// The clock of the multiprocessors of the GPU, if there is only one, as the driver's library NVML
// tells it. That is loaded when it is asked for: no program needs it.
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

  // Whether there is a clock to be read.
  bool is_known() const { return device_ != nullptr; }

  // Now, in MHz; 0 if the driver does not say.
  int mhz() const {
    constexpr int kOfMultiprocessors = 1;
    unsigned mhz = 0;
    const bool is_read =
        device_ && call<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo", device_,
                                                    kOfMultiprocessors, &mhz) == 0;
    return is_read ? static_cast<int>(mhz) : 0;
  }

 private:
  // What NVML's function returns: 0 if it succeeds, and -1 where the library lacks it.
  template <typename Function, typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<Function*>(dlsym(library_, name));
    return function ? function(arguments...) : -1;
  }

  void* library_ = nullptr;
  bool is_initialised_ = false;
  void* device_ = nullptr;
};

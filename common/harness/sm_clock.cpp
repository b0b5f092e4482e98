#include "common/harness/sm_clock.h"

#include <dlfcn.h>

template <typename Function, typename... Arguments>
int SmClock::call(const char* name, Arguments... arguments) const {
  auto* const function = reinterpret_cast<Function*>(dlsym(library_, name));
  return function ? function(arguments...) : -1;
}

SmClock::SmClock() {
  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  unsigned devices = 0;
  if (!library_ || call<int()>("nvmlInit_v2") != 0) return;
  is_initialised_ = true;
  const bool is_only_one =
      call<int(unsigned*)>("nvmlDeviceGetCount_v2", &devices) == 0 && devices == 1;
  if (is_only_one) call<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2", 0u, &device_);
}

SmClock::~SmClock() {
  if (is_initialised_) call<int()>("nvmlShutdown");
  if (library_) dlclose(library_);
}

int SmClock::mhz() const {
  constexpr int kOfMultiprocessors = 1;
  unsigned mhz = 0;
  const bool is_read =
      device_ && call<int(void*, int, unsigned*)>("nvmlDeviceGetClockInfo", device_,
                                                  kOfMultiprocessors, &mhz) == 0;
  return is_read ? static_cast<int>(mhz) : 0;
}

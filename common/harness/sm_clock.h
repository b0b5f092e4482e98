#pragma once

// The clock of the GPU's multiprocessors, if there is only one GPU, from NVML, a library of the
// driver. It is loaded only here, because no program needs it otherwise.
//
// Source: NVML API Reference, Device Queries.
class SmClock {
 public:
  SmClock();
  ~SmClock();
  SmClock(const SmClock&) = delete;
  SmClock& operator=(const SmClock&) = delete;

  // Whether the clock can be read.
  bool is_known() const { return device_ != nullptr; }

  // The current clock in MHz; 0 if the driver does not report it.
  int mhz() const;

 private:
  // The result of NVML's function: 0 if it succeeds, -1 if the library lacks it.
  template <typename Function, typename... Arguments>
  int call(const char* name, Arguments... arguments) const;

  void* library_ = nullptr;
  bool is_initialised_ = false;
  void* device_ = nullptr;
};

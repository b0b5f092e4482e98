#pragma once

#include <mutex>
#include <set>

namespace cuda_simulator {

// The handles of a kind that were created and not destroyed.
template <typename T>
class LiveHandles {
 public:
  static LiveHandles& get() {
    static LiveHandles& handles = *new LiveHandles;  // never destroyed: objects may end later
    return handles;
  }
  T* add(T* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return *live_.insert(handle).first;
  }
  bool remove(T* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (live_.erase(handle) == 0) return false;
    delete handle;
    return true;
  }
  bool contains(T* handle) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return live_.count(handle) != 0;
  }

 private:
  std::set<T*> live_;
  mutable std::mutex mutex_;
};

}  // namespace cuda_simulator

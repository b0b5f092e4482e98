#include "chapters/ch7_vector_map/accuracy.h"
#include "chapters/ch7_vector_map/kernel_time.h"

#include <gtest/gtest.h>

#include <algorithm>

Accuracy accuracy() { return {}; }  // a time has none

namespace {

// A launch takes 0.01 ms of the CPU, a kernel 5 ms of the device, the first one 100 ms more.
class FakeDevice {
 public:
  Device device() {
    return {[this] { launch(); }, [this] { now_ms_ = std::max(now_ms_, idle_from_ms_); },
            [this] { return now_ms_; }};
  }
  void give_other_work(double ms) { idle_from_ms_ = std::max(now_ms_, idle_from_ms_) + ms; }
  void skip_loading() { is_loaded_ = true; }

 private:
  void launch() {
    now_ms_ += 0.01;
    idle_from_ms_ = std::max(now_ms_, idle_from_ms_) + (is_loaded_ ? 5 : 105);
    is_loaded_ = true;
  }

  double now_ms_ = 1000, idle_from_ms_ = 0;
  bool is_loaded_ = false;
};

TEST(KernelTime, IsTheKernelsAndNotTheLaunchs) {
  FakeDevice fake;
  fake.skip_loading();
  EXPECT_NEAR(kernel_time_ms(fake.device()), 5.01, 1e-9);
}

TEST(KernelTime, LeavesOutTheLoadingOfTheCode) {
  FakeDevice fake;
  EXPECT_NEAR(kernel_time_ms(fake.device()), 5.01, 1e-9);
}

TEST(KernelTime, LeavesOutWhatWasQueuedBefore) {
  FakeDevice fake;
  fake.skip_loading();
  fake.give_other_work(70);
  EXPECT_NEAR(kernel_time_ms(fake.device()), 5.01, 1e-9);
}

}  // namespace

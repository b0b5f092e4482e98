#include "chapters/ch7_vector_map/kernel_time.h"

#include "common/harness/format.h"
#include "common/harness/random.h"
#include "tests/support/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

// A launch takes 0.01 ms of the CPU, a kernel 5 ms of the device by default, the first kernel 100
// ms more.
class FakeDevice {
 public:
  explicit FakeDevice(double kernel_ms = 5) : kernel_ms_(kernel_ms) {}
  Device device() {
    return {[this] { launch(); }, [this] { now_ms_ = std::max(now_ms_, idle_from_ms_); },
            [this] { return now_ms_; }};
  }
  void give_other_work(double ms) { idle_from_ms_ = std::max(now_ms_, idle_from_ms_) + ms; }
  void skip_loading() { is_loaded_ = true; }

 private:
  void launch() {
    now_ms_ += 0.01;
    idle_from_ms_ = std::max(now_ms_, idle_from_ms_) + kernel_ms_ + (is_loaded_ ? 0 : 100);
    is_loaded_ = true;
  }

  double kernel_ms_, now_ms_ = 1000, idle_from_ms_ = 0;
  bool is_loaded_ = false;
};

void expect_time(FakeDevice& fake, double kernel_ms) {
  const double got_ms = kernel_time_ms(fake.device());
  if (std::abs(got_ms - (kernel_ms + 0.01)) < 1e-9) return;
  record_fact("got=" + fact_value(got_ms) + " expected=" + fact_value(kernel_ms + 0.01));
  ADD_FAILURE() << format(
      "kernel_time_ms() gives %g ms, but %g ms is correct: the kernel takes %g ms, and its launch "
      "0.01 ms. The first launch of a program takes 100 ms more. Do not count these, nor any "
      "earlier work.",
      got_ms, kernel_ms + 0.01, kernel_ms);
}

TEST(KernelTime, IsTheKernelsAndNotTheLaunchs) {
  FakeDevice fake;
  fake.skip_loading();
  expect_time(fake, 5);
}

TEST(KernelTime, LeavesOutTheLoadingOfTheCode) {
  FakeDevice fake;
  expect_time(fake, 5);
}

TEST(KernelTime, LeavesOutWhatWasQueuedBefore) {
  FakeDevice fake;
  fake.skip_loading();
  fake.give_other_work(70);
  expect_time(fake, 5);
}

TEST(KernelTime, IsThatOfAnyKernel) {
  RandomBits bits(/*seed=*/1);
  for (int i = 0; i < 5; ++i) {
    const double kernel_ms = static_cast<double>(1 + bits() % 9000) / 1000;
    FakeDevice fake(kernel_ms);
    expect_time(fake, kernel_ms);
  }
}

}  // namespace

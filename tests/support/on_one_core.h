#pragma once

#include <gtest/gtest.h>
#include <sched.h>

// During its lifetime, the calling thread and the threads that it starts can use only one core: the
// first of the cores that they could use before.
class OnOneCore {
 public:
  OnOneCore() {
    EXPECT_EQ(sched_getaffinity(0, sizeof(before_), &before_), 0);
    int core = 0;
    while (core < CPU_SETSIZE && !CPU_ISSET(core, &before_)) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0) << "core " << core;
  }
  ~OnOneCore() { sched_setaffinity(0, sizeof(before_), &before_); }
  OnOneCore(const OnOneCore&) = delete;
  OnOneCore& operator=(const OnOneCore&) = delete;

 private:
  cpu_set_t before_;
};

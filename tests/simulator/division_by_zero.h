#pragma once

// Whether the processor stops a program that divides an integer by zero. An Arm processor continues
// with 0, and the simulator cannot detect it.
#if defined(__x86_64__)
constexpr bool kDivisionByZeroStops = true;
#else
constexpr bool kDivisionByZeroStops = false;
#endif

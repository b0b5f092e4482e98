#pragma once

// Whether the processor stops a program that divides an integer by zero. An Arm processor goes on
// with 0, and the simulator sees nothing.
#if defined(__x86_64__)
constexpr bool kDivisionByZeroStops = true;
#else
constexpr bool kDivisionByZeroStops = false;
#endif

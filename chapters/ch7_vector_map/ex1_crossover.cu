// Exercise 1: crossover
//
// Where does the GPU begin to pay? Given what some sizes take on both, find the size. There is no
// kernel in this file: on a GPU the program measures the map on one core of the CPU against a copy
// to the GPU, one on it, which takes what stage 03 takes, and one back, and prints what your
// function says of it.
//
// Goal: crossover.h says what is asked for.
// Check:   ./workbook check ch7_ex1
// Run:     ./workbook run ch7_ex1
//
// Predict first: the bus carries some 50 GB/s in each direction, one core computes perhaps 0.5 to 1
// elements a nanosecond, and a launch with two small copies takes some 20 microseconds. Where will
// the lines cross?

#include "crossover.h"

std::optional<double> crossover(const std::vector<TimedSize>& times) {
  // TODO: go from the largest size to the smallest. Stop at the first where the CPU is as quick or
  // quicker, and find between that one and the one before where the lines meet. What if there is
  // none, or if it is the largest? (about 11 lines)
  return std::nullopt;
}

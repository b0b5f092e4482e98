#pragma once

// The largest error of a result, compared with tan x + 3 sin x.
//
// An ulp of a number is the distance from it to the next larger one with the same exponent. Where
// cos x = -1/3 the two terms cancel: a sum of two rounded terms keeps few correct digits there, or
// none, and its error is bounded in ulp of the larger term only. A result whose error is bounded in
// its own ulp has all its digits everywhere.
struct Accuracy {
  double max_error_ulp;
  bool in_ulp_of_larger_term;  // of tan x and 3 sin x; otherwise in ulp of the result
};

// The accuracy that a stage guarantees.
Accuracy accuracy();

// The guarantee holds for |x| up to this.
constexpr double kMaxX = 1e4;

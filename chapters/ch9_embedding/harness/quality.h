#pragma once

#include "harness/input.h"

#include <vector>

// How far the neighbours in a map are neighbours in truth (trustworthiness, Venna and Kaski 2001):
// 1 if the `neighbours` nearest points of each point of the map belong to vectors that are among
// its vector's as many nearest ones; less for each that is not, by its rank. `points` has x and y
// of each. neighbours is from 1 to less than half of the count.
double trustworthiness(const LabelledVectors& vectors, const std::vector<double>& points,
                       int neighbours);

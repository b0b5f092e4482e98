#pragma once

#include "harness/input.h"

#include <vector>

// The trustworthiness of a map (Venna and Kaski 2001): are neighbours in the map also neighbours
// among the vectors? It is 1 if the `neighbours` nearest points of each point belong to its
// vector's `neighbours` nearest vectors; each that does not reduces it, by its rank. `points` has x
// and y of each point. neighbours is at least 1 and less than half of the count.
double trustworthiness(const LabelledVectors& vectors, const std::vector<double>& points,
                       int neighbours);

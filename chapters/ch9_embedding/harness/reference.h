#pragma once

#include "embedding.h"
#include "harness/host_affinities.h"

#include <cstdint>
#include <vector>

// The descent in plain C++, in double. Points, and all that goes with them, are x
// and y in turn: 2 count numbers.

// A map on its way, as Map has it.
struct ReferenceMap {
  std::vector<double> points, steps, gains;
};

// At the start: points of a normal distribution, with a standard deviation of 1e-4, as floats;
// steps 0; gains 1. The same for the same seed.
ReferenceMap start_map(int count, std::uint64_t seed);

// Of the chosen points, in their order: their gradients, and how large the terms are that these are
// sums of, from which the bound of a float's errors follows.
struct ReferenceGradient {
  std::vector<double> values, magnitudes;  // 2 a chosen point
  double z;                                // the sum of all q(i, j) but q(i, i)
};
ReferenceGradient gradient_reference(const HostAffinities& affinities,
                                     const std::vector<double>& points, double exaggeration,
                                     const std::vector<int>& chosen);
ReferenceGradient gradient_reference(const HostAffinities& affinities,
                                     const std::vector<double>& points, double exaggeration);

// How far a gradient may be from the reference if it is computed in floats, a share of
// `magnitudes`. With u = 2^-24: each term has a difference, which is off by u of itself, a q, off
// by 8 u (its sum 3 u, the square of a difference 3 u, the quotient 2 u), once or twice, and two
// products. Each sum has at most `count` additions. The sum of q has 1 for the pair of a point with
// itself, which is taken off again: its error is relative to z + count.
double gradient_bound(int count, double z);

// How far from the reference each of its values may be: gradient_bound() of its magnitude and,
// where `slack` is not 0, what interpolation adds. Pushes and Z may then come from polynomials of
// degree 3 between nodes that are g apart. Such a polynomial is off by 9/16 g^4 / 4! times the
// largest fourth derivative, and a pair takes four of them, in x and in y at either point. In all
// directions together the fourth derivatives of q and of q^2 (y_i - y_j) stay below 340 q^3. So a
// pair's q and push are off by slack g^4 q^3, with a slack of 8. The grid has 508 spaces and covers
// all coordinates, up to the same extent left and right, above and below. Rounding in Fourier
// transforms is 2^-18 of the largest magnitude.
std::vector<double> gradient_tolerances(const ReferenceGradient& expected,
                                        const std::vector<double>& points,
                                        const std::vector<int>& chosen, double slack);

constexpr double kInterpolationSlack = 8;

// Iterations first to last - 1.
void descend_reference(const HostAffinities& affinities, const Schedule& schedule, int first,
                       int last, ReferenceMap& map);

// The Kullback-Leibler divergence: the sum of p(i, j) log(p(i, j) / (q(i, j) / Z)) over all i, j
// with p(i, j) > 0. 0 if the map has the affinities' neighbourhoods exactly, else more.
double kl_divergence(const HostAffinities& affinities, const std::vector<double>& points);

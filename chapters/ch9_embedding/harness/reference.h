#pragma once

#include "embedding.h"
#include "harness/host_affinities.h"

#include <cstdint>
#include <vector>

// The descent in plain C++, in double precision. All arrays of points have x and y alternating:
// 2 count numbers.

// The state of a descent, like Map of embedding.h.
struct ReferenceMap {
  std::vector<double> points, steps, gains;
};

// The start: normally distributed points with a standard deviation of 1e-4, rounded to floats;
// steps 0; gains 1. Deterministic for each seed.
ReferenceMap start_map(int count, std::uint64_t seed);

// The gradients of the chosen points, in their order, and the sums of the sizes of their terms,
// from which the bound of the rounding errors of floats follows.
struct ReferenceGradient {
  std::vector<double> values, magnitudes;  // 2 per chosen point
  double z;                                // the sum of all q(i, j) except the q(i, i)
};
ReferenceGradient gradient_reference(const HostAffinities& affinities,
                                     const std::vector<double>& points, double exaggeration,
                                     const std::vector<int>& chosen);
ReferenceGradient gradient_reference(const HostAffinities& affinities,
                                     const std::vector<double>& points, double exaggeration);

// The largest error of a gradient computed in floats, as a share of `magnitudes`. With u = 2^-24:
// each term has a difference, with a relative error of u; a q, with one of 8 u (its sum 3 u, the
// square of a difference 3 u, the quotient 2 u), once or twice; and two products. Each sum has at
// most `count` additions. The sum of q includes 1 for the pair of a point with itself, which is
// subtracted later, so its error is relative to z + count.
double gradient_bound(int count, double z);

// The largest error of each value: gradient_bound() of its magnitude and, if `slack` is not 0, the
// error of an interpolation. Pushes and Z may then come from polynomials of degree 3 between nodes
// that are g apart. The error of such a polynomial is 9/16 g^4 / 4! times the largest fourth
// derivative, and a pair takes four of them, in x and in y at both points. The fourth derivatives
// of q and of q^2 (y_i - y_j), in all directions together, are below 340 q^3. So the error of a
// pair's q and push is slack g^4 q^3, with a slack of 8. The grid has 508 spaces and covers all
// coordinates, up to the same extent in all four directions. The rounding error of the Fourier
// transforms is 2^-18 of the largest magnitude.
std::vector<double> gradient_tolerances(const ReferenceGradient& expected,
                                        const std::vector<double>& points,
                                        const std::vector<int>& chosen, double slack);

constexpr double kInterpolationSlack = 8;

// Executes iterations first to last - 1.
void descend_reference(const HostAffinities& affinities, const Schedule& schedule, int first,
                       int last, ReferenceMap& map);

// The Kullback-Leibler divergence: the sum of p(i, j) log(p(i, j) / (q(i, j) / Z)) over all i, j
// with p(i, j) > 0. It is 0 if all shares q(i, j) / Z equal the affinities, otherwise more.
double kl_divergence(const HostAffinities& affinities, const std::vector<double>& points);

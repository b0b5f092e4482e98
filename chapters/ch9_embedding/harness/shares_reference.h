#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Squared distances with different scales and spreads: those of row i are 4^(i % 7) times as large
// as those of row 0, and their spread has three different values.
std::vector<float> random_distances(int rows, int neighbours, std::uint64_t seed);

// Checks the shares that shares.h describes. Returns a description of the first wrong row, or an
// empty string. A row is wrong if its entropy, computed in double from the precision, is off by
// more than 1e-5, or if a share differs from the one computed in double, at the same precision, by
// more than the rounding of floats explains.
std::string wrong_share(const std::vector<float>& distances, const std::vector<float>& shares,
                        const std::vector<float>& precisions, int neighbours, double perplexity);

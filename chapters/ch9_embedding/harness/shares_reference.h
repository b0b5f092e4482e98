#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Squared distances of points that are not alike: those of row i are 4^(i % 7) times as large as
// those of row 0, and more spread out from row to row.
std::vector<float> random_distances(int rows, int neighbours, std::uint64_t seed);

// What is wrong with the shares that shares.h describes, of the first row that is wrong, or
// nothing: an entropy, computed in double from the precision, that is off by over 1e-5, or a share
// that is further from the one in double, at the same precision, than floats explain.
std::string wrong_share(const std::vector<float>& distances, const std::vector<float>& shares,
                        const std::vector<float>& precisions, int neighbours, double perplexity);

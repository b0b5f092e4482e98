#pragma once

#include "common/harness/program.h"

#include <cstddef>
#include <cstdint>
#include <vector>

// The numbers that the chapter's programs map: spread evenly over [-kMaxX, kMaxX), or over [0, 1),
// or normally distributed, N(0, 1).
enum class MapData { wide, uniform, normal };

std::vector<MapData> all_map_data();

const char* name_of(MapData data);  // "uniform"
// A line of the list of options; is_usual: the data is the default.
OptionHelp help_of(MapData data, bool is_usual);

// n such numbers, the same ones for the same seed. T is float or double; a float is the double with
// the same index, rounded towards 0: it is never 1.
template <typename T>
std::vector<T> map_arguments(MapData data, std::size_t n, std::uint64_t seed);

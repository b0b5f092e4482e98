#pragma once

#include "common/harness/options.h"

#include <string>
#include <vector>

// Vectors to embed, stored contiguously, and the label of each: one of a few integers, or no
// labels.
struct LabelledVectors {
  int count, dimensions;
  std::vector<float> values;
  std::vector<int> labels;
};

// Reads two CSV files: `vectors` as chapter 8's csv.h reads it, `labels` with one integer from 0 to
// 255 per line; an empty name means no labels. Throws UsageError, with the file's name, for
// everything that csv.h refuses, for fewer than 4 vectors, for labels that are not such integers,
// and if there are not as many labels as vectors.
LabelledVectors read_labelled(const std::string& vectors, const std::string& labels);

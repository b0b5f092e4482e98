#pragma once

#include "common/harness/options.h"

#include <string>
#include <vector>

// Vectors to embed, one after another, and what each is: one of a few whole numbers, or no labels.
struct LabelledVectors {
  int count, dimensions;
  std::vector<float> values;
  std::vector<int> labels;
};

// Of two CSV files: `vectors` as chapter 8's csv.h reads it, `labels` with one whole number from 0
// to 255 a line; an empty name means no labels. Throws UsageError, with the file's name, for all
// that csv.h refuses, for fewer vectors than 4, and for labels that are no such numbers or not as
// many as the vectors.
LabelledVectors read_labelled(const std::string& vectors, const std::string& labels);

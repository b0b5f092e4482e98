#include "harness/input.h"

#include "harness/csv.h"

#include "common/harness/format.h"

#include <cmath>
#include <utility>

namespace {

std::vector<int> read_labels(const std::string& file, int count) {
  const HostPoints rows = read_csv_file(file);
  if (rows.dimensions != 1) {
    throw UsageError(format("%s: %d fields per line; labels are one number per line.", file.c_str(),
                            rows.dimensions));
  }
  if (rows.count != count) {
    throw UsageError(format("%s: %d labels, and there are %d vectors. Each needs one.",
                            file.c_str(), rows.count, count));
  }
  std::vector<int> labels;
  for (const float label : rows.data) {
    if (!(label >= 0 && label <= 255 && label == std::floor(label))) {
      throw UsageError(format("%s: label %zu is %g; a label is an integer from 0 to 255.",
                              file.c_str(), labels.size() + 1, static_cast<double>(label)));
    }
    labels.push_back(static_cast<int>(label));
  }
  return labels;
}

}  // namespace

LabelledVectors read_labelled(const std::string& vectors, const std::string& labels) {
  HostPoints rows = read_csv_file(vectors);
  constexpr int kFewest = 4;  // because a perplexity of 1 needs three neighbours
  if (rows.count < kFewest) {
    throw UsageError(
        format("%s: %d vectors; a map needs at least %d.", vectors.c_str(), rows.count, kFewest));
  }
  LabelledVectors result{rows.count, rows.dimensions, std::move(rows.data), {}};
  if (!labels.empty()) result.labels = read_labels(labels, result.count);
  return result;
}

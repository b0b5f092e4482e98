#pragma once

#include <filesystem>
#include <string>
#include <vector>

// The history of a descent.
struct MapHistory {
  struct Divergence {
    int iteration;  // the number of iterations before it
    double kl;
  };
  std::vector<Divergence> divergences;
  std::vector<std::vector<double>> frames;  // x and y of each point, at a few iterations
};

// The files of a map, <vectors>_map.csv, and of its history, <vectors>_map_kl.csv and
// <vectors>_map_frames.csv. plots/embedding_map.py draws them.
class MapFiles {
 public:
  // Creates the folder if necessary, and the files, so a run whose map cannot be saved does not
  // start. Throws UsageError if one of them cannot be written.
  MapFiles(const std::string& vectors, const std::filesystem::path& folder);

  // `points` has x and y of each point, all finite; `labels` has one for each, or none. Writes only
  // the files for which the history has data. Throws std::runtime_error if one cannot be written.
  void write(const std::vector<double>& points, const std::vector<int>& labels,
             const MapHistory& history) const;

  // The names of the files, and the command that draws them.
  std::string text() const;

 private:
  std::string csv_, kl_, frames_;
};

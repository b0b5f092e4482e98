#pragma once

#include <filesystem>
#include <string>
#include <vector>

// What a descent has been through.
struct MapHistory {
  struct Divergence {
    int iteration;  // after so many
    double kl;
  };
  std::vector<Divergence> divergences;
  std::vector<std::vector<double>> frames;  // x and y of each point, at a few iterations
};

// The files of a map, <vectors>_map.csv, and of its history, <vectors>_map_kl.csv and
// <vectors>_map_frames.csv. plots/embedding_map.py draws them.
class MapFiles {
 public:
  // Makes the folder if need be, and the files, so that nobody waits for what cannot be kept.
  // Throws UsageError if one of them cannot be written.
  MapFiles(const std::string& vectors, const std::filesystem::path& folder);

  // `points` has x and y of each, all finite; `labels` one for each, or none. Leaves out what the
  // history does not have. Throws std::runtime_error if a file cannot be written.
  void write(const std::vector<double>& points, const std::vector<int>& labels,
             const MapHistory& history) const;

  // Their names, and the command that draws them.
  std::string text() const;

 private:
  std::string csv_, kl_, frames_;
};

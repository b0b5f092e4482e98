#include "harness/map_files.h"

#include "common/harness/format.h"
#include "common/harness/options.h"

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace {

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file + " cannot be written. Is the disk full?");
}

std::string table_of(const std::vector<double>& points, const std::vector<int>& labels) {
  std::string text = labels.empty() ? "x,y\n" : "x,y,label\n";
  for (std::size_t i = 0; i < points.size() / 2; ++i) {
    text += format("%.9g,%.9g", points[2 * i], points[2 * i + 1]);
    text += labels.empty() ? "\n" : format(",%d\n", labels[i]);
  }
  return text;
}

std::string table_of(const std::vector<std::vector<double>>& frames) {
  std::string text = "frame,x,y\n";
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    const std::vector<double>& points = frames[frame];
    for (std::size_t i = 0; i < points.size(); i += 2) {
      text += format("%zu,%.9g,%.9g\n", frame + 1, points[i], points[i + 1]);
    }
  }
  return text;
}

}  // namespace

MapFiles::MapFiles(const std::string& vectors, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string stem = std::filesystem::path(vectors).stem().string() + "_map";
  csv_ = (folder / (stem + ".csv")).string();
  kl_ = (folder / (stem + "_kl.csv")).string();
  frames_ = (folder / (stem + "_frames.csv")).string();
  for (const std::string& file : {csv_, kl_, frames_}) {
    if (std::ofstream(file, std::ios::app)) continue;
    throw UsageError(format("%s cannot be written. --output takes a folder that you can write to.",
                            file.c_str()));
  }
}

void MapFiles::write(const std::vector<double>& points, const std::vector<int>& labels,
                     const MapHistory& history) const {
  write_text(csv_, table_of(points, labels));
  std::string text = "iteration,kl\n";
  for (const auto& [iteration, kl] : history.divergences) {
    text += format("%d,%.9g\n", iteration, kl);
  }
  write_text(kl_, text);
  std::vector<std::vector<double>> frames = history.frames;
  if (frames.empty() || frames.back() != points) frames.push_back(points);
  write_text(frames_, table_of(frames));
}

std::string MapFiles::text() const {
  return csv_ + "\nIts history: " + frames_ + " and " + kl_ +
         "\nDraw it: python3 plots/embedding_map.py " + csv_;
}

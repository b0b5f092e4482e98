#pragma once

#include "harness/device_state.h"

#include "common/harness/options.h"
#include "common/harness/program.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// The run that computes a map from vectors.

struct MapRequest {
  std::optional<std::string> vectors;  // a file; without it, generated clusters
  std::string labels, folder;          // no labels: an empty name
  int clustered;                       // the number of generated vectors
  double perplexity;
  int iterations;
  std::optional<float> learning_rate;
  bool starts_principal;  // from principal components (principal.h) instead of at random
  std::uint64_t seed;
};

std::vector<OptionHelp> map_options();
// The request; nothing without --input and --clusters. Throws UsageError if there are only options
// that belong to them.
std::optional<MapRequest> parse_map_request(Options& options, std::optional<int> iterations);

// Queues iterations first to last - 1 of the descent.
using Descend = std::function<void(const Affinities&, const Map&, int count, int first, int last,
                                   const Schedule& schedule)>;

// The properties of a program that computes maps.
struct MapMaker {
  bool has_matrix;          // whether the descent needs the matrix of affinities
  bool searches_on_device;  // for affinities; otherwise only above 5000 vectors
  bool shows_seconds;       // of each part of the work, at the end
  Descend descend;
};

// Computes the map and reports its progress. Writes <vectors>_map.csv, with x, y and the label of
// each vector, and the history, <vectors>_map_frames.csv (maps of six iterations) and
// <vectors>_map_kl.csv, to the folder, which it creates if necessary. Ctrl-C ends the descent
// early: the files then have its last state. Returns the exit code: 0, or 130 after Ctrl-C.
//
// Throws UsageError, before it starts, if a file cannot be read or the folder cannot be written to;
// std::runtime_error if a point of the map becomes NaN or infinite. The message then names the
// iteration, and the files have the last finite state that was checked.
int make_map(const MapRequest& request, const MapMaker& maker);

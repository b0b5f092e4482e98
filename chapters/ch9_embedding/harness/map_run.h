#pragma once

#include "harness/device_state.h"

#include "common/harness/options.h"
#include "common/harness/program.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// From vectors to a map.

struct MapRequest {
  std::optional<std::string> vectors;  // a file; without it, made-up clusters
  std::string labels, folder;          // no labels: an empty name
  int clustered;                       // how many made-up vectors
  double perplexity;
  int iterations;
  std::optional<float> learning_rate;
  bool starts_principal;  // from principal components (principal.h), and not at random
  std::uint64_t seed;
};

std::vector<OptionHelp> map_options();
// Nothing without --input and --clusters. Throws UsageError for their companions without them.
std::optional<MapRequest> parse_map_request(Options& options, std::optional<int> iterations);

// Queues iterations first to last - 1 of the descent.
using Descend = std::function<void(const Affinities&, const Map&, int count, int first, int last,
                                   const Schedule& schedule)>;

// What a program has for that.
struct MapMaker {
  bool has_matrix;          // whether affinities need their matrix too
  bool searches_on_device;  // for affinities; else it does so for over 5000 vectors
  bool shows_seconds;       // of each part of the work, in the end
  Descend descend;
};

// Makes the map, says how it goes, and leaves <vectors>_map.csv, with x, y and the label of each
// vector, and of its history <vectors>_map_frames.csv, maps of six iterations, and
// <vectors>_map_kl.csv, in the folder, which it makes if need be. Ctrl-C ends the descent early:
// the files then have its last state. Returns the exit code: 0, or 130 after Ctrl-C.
//
// Throws UsageError if a file cannot be read or the folder cannot be written to, before it begins;
// std::runtime_error if a point of the map becomes NaN or infinite: in which iteration, and the
// files have the last finite state that was looked at.
int make_map(const MapRequest& request, const MapMaker& maker);

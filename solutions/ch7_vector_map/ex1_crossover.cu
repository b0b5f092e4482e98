// Exercise 1: crossover (solution)
//
// From the largest size downwards: as long as the GPU is quicker, go on. The crossing lies between
// the last size where it is quicker and the first where it is not, where two straight lines meet.

#include "crossover.h"

#include <algorithm>

std::optional<double> crossover(const std::vector<TimedSize>& times) {
  const auto behind = std::find_if(times.rbegin(), times.rend(), [](const TimedSize& time) {
    return time.gpu_ms >= time.cpu_ms;
  });
  const auto above = behind.base();  // the size after it, the first of those with a quicker GPU
  if (above != times.end()) {
    if (above == times.begin()) return above->n;
    const TimedSize& below = *behind;
    const double lead = below.gpu_ms - below.cpu_ms, lag = above->cpu_ms - above->gpu_ms;
    return below.n + (above->n - below.n) * lead / (lead + lag);
  }
  return std::nullopt;
}

// Exercise 1: crossover (solution)
//
// From the largest size downwards: continue while the GPU is faster. The crossing lies between the
// last size where it is faster and the first where it is not, where two straight lines meet.

#include "crossover.h"

#include <algorithm>

std::optional<double> crossover(const std::vector<TimedSize>& times) {
  const auto behind = std::find_if(times.rbegin(), times.rend(), [](const TimedSize& time) {
    return time.gpu_ms >= time.cpu_ms;
  });
  const auto above = behind.base();  // the next larger size, where the GPU is faster
  if (above != times.end()) {
    if (above == times.begin()) return above->n;
    const TimedSize& below = *behind;
    const double lead = below.gpu_ms - below.cpu_ms, lag = above->cpu_ms - above->gpu_ms;
    return below.n + (above->n - below.n) * lead / (lead + lag);
  }
  return std::nullopt;
}

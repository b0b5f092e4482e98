// Exercise 1: crossover (solution)
//
// From the largest size downwards: as long as the GPU is quicker, go on. The crossing lies between
// the last size where it is quicker and the first where it is not, where two straight lines meet.

#include "crossover.h"

std::optional<double> crossover(const std::vector<TimedSize>& times) {
  std::size_t quicker = times.size();  // the smallest size, of those so far, with a quicker GPU
  for (std::size_t i = times.size(); i-- > 0 && times[i].gpu_ms < times[i].cpu_ms;) quicker = i;
  if (quicker < times.size()) {
    if (quicker == 0) return times[0].n;
    const TimedSize& below = times[quicker - 1];
    const TimedSize& above = times[quicker];
    const double lead = below.gpu_ms - below.cpu_ms, lag = above.cpu_ms - above.gpu_ms;
    return below.n + (above.n - below.n) * lead / (lead + lag);
  }
  return std::nullopt;
}

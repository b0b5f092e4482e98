#include "chapters/ch7_vector_map/crossover.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::crossover) crossover;
}

std::optional<double> crossover(const std::vector<TimedSize>& times) {
  return transcribed([&] { return submission::crossover(times); });
}

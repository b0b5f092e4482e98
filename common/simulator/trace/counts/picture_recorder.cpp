#include "trace/counts/picture_recorder.h"

#include "execution/lanes.h"
#include "program/environment.h"
#include "trace/counts/request_cost.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostArrays = 8;  // per kernel; more are not drawn

}  // namespace

std::optional<std::size_t> chosen_columns() {
  constexpr const char* kName = "CUDA_SIMULATOR_COLUMNS";
  const auto wanted = environment(kName);
  if (!wanted) return std::nullopt;
  const auto number = whole_number(*wanted);
  if (!number || *number < 1 || *number > 1'000'000'000) {
    refuse_environment(kName, *wanted, "an integer from 1 to 1000000000");
  }
  return static_cast<std::size_t>(*number);
}

void PictureRecorder::begin_grid(const Block& block, KernelCounts& kernel) {
  block_ = &block;
  kernel_ = &kernel;
  const bool wanted = environment_switch("CUDA_SIMULATOR_ELEMENTS", /*usual=*/false);
  // an invalid value ends the program here, not in the middle of the report
  if (wanted) chosen_columns();
  follows_elements_ = kernel.launches == 1 && wanted;
}

void PictureRecorder::keep_example(AccessCounts& counts, const WarpRequest& request) const {
  if (!counts.example) counts.order = ++kernel_->numbered_accesses;
  const bool is_shared = request.space() == MemorySpace::shared;
  const RequestCost cost(request);
  RequestExample example{block_->index(),
                         request.warp,
                         request.lanes,
                         request.approximate,
                         is_shared ? 0 : cost.sectors(),
                         is_shared ? cost.wavefronts().taken : 0,
                         memory_.named(request.array),
                         {}};
  for_each_lane(request.lanes, [&](int lane) {
    example.offset_bytes[lane] =
        static_cast<std::int64_t>(request.addresses[lane] - example.array.begin);
  });
  counts.example = std::make_shared<const RequestExample>(std::move(example));
}

// Records shared memory in the first block.
void PictureRecorder::add_to_elements(const WarpRequest& request) {
  const bool is_shared = request.space() == MemorySpace::shared;
  if (request.space() == MemorySpace::constant || (is_shared && block_->index() > 0)) return;
  ElementMap* map = nullptr;
  bool in_one_array = true;
  std::vector<std::size_t> offsets;
  for_each_lane(request.lanes, [&](int lane) {
    const std::uintptr_t address = request.addresses[lane];
    if (!map || !map->array().holds(address)) {
      in_one_array = map == nullptr;
      map = element_map(request.step, address);
    }
    if (!map) return;
    offsets.push_back(address - map->array().begin);
    map->add(request.step.kind(), offsets.back(), request.bytes(), block_->index(),
             request.thread(lane));
  });
  if (map && in_one_array && offsets.size() == kWarpSize) {
    map->learn_row(std::move(offsets), request.bytes());
  }
}

ElementMap* PictureRecorder::element_map(Step step, std::uintptr_t address) {
  std::vector<ElementMap>& maps = kernel_->elements;
  for (ElementMap& map : maps) {
    if (map.array().holds(address)) return &map;
  }
  if (maps.size() == kMostArrays) return nullptr;
  const std::optional<AddressedArray> array = memory_.array_of(step, address);
  return array ? &maps.emplace_back(memory_.named(*array), step.bytes()) : nullptr;
}

}  // namespace cuda_simulator

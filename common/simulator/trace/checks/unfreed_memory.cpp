#include "trace/checks/unfreed_memory.h"

#include "program/learners_code.h"
#include "program/line_table.h"
#include "trace/report/finding_texts.h"

#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostPlaces = 5;  // the maximum number that is printed

struct Calls {
  std::uintptr_t* next;
  std::uintptr_t* end;
};

_Unwind_Reason_Code note_call(_Unwind_Context* context, void* data) {
  Calls& calls = *static_cast<Calls*>(data);
  if (calls.next == calls.end) return _URC_NORMAL_STOP;
  *calls.next++ = _Unwind_GetIP(context);
  return _URC_NO_REASON;
}

std::string in_words(const UnfreedMemory::Place& place) {
  const std::string function = place.function;
  const std::string freed_by = function == "cudaMallocHost"    ? "cudaFreeHost"
                               : function == "cudaMallocArray" ? "cudaFreeArray"
                                                               : "cudaFree";
  const bool is_known = !place.position.file.empty();
  return "  " + (is_known ? place.position.text() : "(unknown line)") + "  " + function + ": " +
         count_of(place.bytes, "byte") +
         (place.count > 1 ? " in " + std::to_string(place.count) + " allocations" : "") +
         ". Free this memory with " + freed_by + ".\n";
}

}  // namespace

// Records only addresses: finding the lines is slow, and most programs free their memory.
void UnfreedMemory::allocated(std::uintptr_t address, std::size_t bytes, const char* function) {
  Allocation allocation{bytes, function, {}};
  Calls calls{allocation.calls.data(), allocation.calls.data() + kMostCalls};
  _Unwind_Backtrace(note_call, &calls);
  allocations_[address] = allocation;
}

std::vector<UnfreedMemory::Place> UnfreedMemory::places() const {
  std::vector<Place> places;
  for (const auto& [address, allocation] : allocations_) {  // later ones have higher addresses
    SourcePosition position;
    for (const std::uintptr_t call : allocation.calls) {
      if (position.file.empty() && call != 0 && in_learners_code(call) != 0)
        position = learners_position(call);
    }
    const auto known = std::find_if(places.begin(), places.end(), [&](const Place& place) {
      return place.position == position && place.function == allocation.function;
    });
    if (known == places.end()) {
      places.push_back({position, allocation.function, 1, allocation.bytes});
    } else {
      ++known->count;
      known->bytes += allocation.bytes;
    }
  }
  return places;
}

void UnfreedMemory::print(const std::vector<Place>& places) {
  if (places.empty()) return;
  std::size_t bytes = 0;
  for (const Place& place : places) bytes += place.bytes;
  std::string text = "CUDA simulator: Note: the program ends and has not freed " +
                     count_of(bytes, "byte") + " of memory. The results are not affected.\n";
  for (std::size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i)
    text += in_words(places[i]);
  if (places.size() > kMostPlaces)
    text += "  and " + count_of(places.size() - kMostPlaces, "more place") + ".\n";
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

}  // namespace cuda_simulator

#include "trace/report/finding_texts.h"

#include <cstdio>

namespace cuda_simulator {
namespace {

constexpr char kLostUpdate[] =
    "Each of them loads it, changes it and stores it, so one of the two changes can be lost. ";

std::string remedy_in_block(const RaceDetector::Race& race, Update update) {
  if (update == Update::same) {
    return std::string(kLostUpdate) +
           "Give each thread its own element, or use an atomic function if all threads update this "
           "one: for +=, atomicAdd.";
  }
  const bool same_warp = race.earlier.thread / kWarpSize == race.later.thread / kWarpSize;
  std::string text = std::string("No ") +
                     (same_warp ? "__syncwarp() or __syncthreads()" : "__syncthreads()") +
                     " separates the two accesses, so their order is not defined.";
  if (update == Update::neighbour) {
    text +=
        " One thread loads the element in the statement in which the other thread stores it. Load "
        "into a variable, call __syncthreads(), and then store.";
  }
  return text;
}

std::string remedy_between_blocks(const RaceDetector::Race& race, const RaceContext& context) {
  const std::string text = "Blocks run in any order, or at the same time. ";
  if (context.update == Update::same) {
    return text + kLostUpdate +
           "Give each block its own elements, or use an atomic function if all blocks update this "
           "one: for +=, atomicAdd.";
  }
  const bool stores_first = race.earlier.kind == AccessKind::store;
  const bool stores_later = race.later.kind == AccessKind::store;
  if (stores_first && stores_later) {
    return text +
           "It is a race even if both write the same value. Give each block its own elements, or "
           "use an atomic function.";
  }
  if (stores_first && race.later.kind == AccessKind::load) {
    return text + "Give each block its own elements, or split the work into two launches." +
           (context.has_signals
                ? " (If an atomic counter signals that the other block has finished, add the "
                  "missing __threadfence() between its store and its atomic function.)"
                : "");
  }
  const bool is_atomic_store = (stores_first && is_atomic(race.later.kind)) ||
                               (stores_later && is_atomic(race.earlier.kind));
  if (is_atomic_store) {
    return text +
           "One access is a plain store, the other an atomic function: the store may come later "
           "and overwrite its result. If the store sets the initial value, set it before the "
           "launch instead, with cudaMemset.";
  }
  return text +
         "Use an atomic function for both accesses, give each block its own elements, or split the "
         "work into two launches.";
}

// In global memory other blocks can store the neighbour's element too, so a barrier does not help.
Update update_in(const AccessedMemory& memory, const RaceContext& context) {
  const bool has_remedy =
      context.update != Update::neighbour || memory.space == MemorySpace::shared;
  return has_remedy ? context.update : Update::none;
}

// "tile in shared memory"
std::string place_of(const AccessedMemory& memory) {
  const bool says_so =
      memory.space == MemorySpace::shared && memory.name.find(' ') != std::string::npos;
  return says_so ? memory.name : memory.name + " in " + name_of(memory.space) + " memory";
}

}  // namespace

std::string count_of(std::size_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string describe_distance(const Allocation& allocation, std::uintptr_t address,
                              unsigned bytes) {
  const std::string size = count_of(allocation.bytes, "byte");
  if (address < allocation.begin) {
    return "memory " + count_of(allocation.begin - address, "byte") +
           " before the start of an allocation of " + size;
  }
  const std::size_t at = address - allocation.begin;
  if (at % bytes != 0 || allocation.bytes % bytes != 0) {
    return std::to_string(bytes) + " bytes from byte " + std::to_string(at) +
           " of an allocation of " + size;
  }
  return "memory at byte " + std::to_string(at) + " of an allocation of " + size +
         ", which is element " + std::to_string(at / bytes) + " of an array of " +
         std::to_string(allocation.bytes / bytes);
}

std::string distance_facts(const Allocation& allocation, std::uintptr_t address, unsigned bytes) {
  const char* const where = address < allocation.begin ? "before" : "behind";
  const auto at = static_cast<std::ptrdiff_t>(address - allocation.begin);
  return std::string("memory=global where=") + where + range_facts(at, allocation.bytes, bytes);
}

std::string range_facts(std::ptrdiff_t at, std::size_t end, unsigned access_bytes) {
  return " at=" + std::to_string(at) + " end=" + std::to_string(end) +
         " width=" + std::to_string(access_bytes);
}

std::string outside_shared_text(const Symbol& nearest, std::size_t offset, unsigned bytes) {
  const bool begins_inside = offset >= nearest.begin && offset < nearest.begin + nearest.bytes;
  const std::string at = std::to_string(offset - nearest.begin);
  const std::string where =
      offset < nearest.begin
          ? "memory " + count_of(nearest.begin - offset, "byte") + " before the start"
      : begins_inside ? std::to_string(bytes) + " bytes from byte " + at
                      : "memory at byte " + at;
  return where + " of " + nearest.own_name() + ", a __shared__ variable of " +
         count_of(nearest.bytes, "byte") + ".";
}

std::string element_text(std::size_t offset, unsigned access_bytes, std::size_t total_bytes) {
  if (total_bytes == access_bytes) return "";
  if (total_bytes % access_bytes == 0) {
    return "element " + std::to_string(offset / access_bytes) + " of " +
           std::to_string(total_bytes / access_bytes) + " of ";
  }
  return "byte " + std::to_string(offset) + " of ";
}

std::string AccessedMemory::text() const {
  return element_text(offset, access_bytes, total_bytes) + place_of(*this);
}

std::string AccessedMemory::facts() const {
  const std::string memory = std::string("memory=") + name_of(space);
  return name.find(' ') == std::string::npos ? memory + " array=" + name : memory;
}

std::string race_text(const RaceDetector::Race& race, const AccessedMemory& memory,
                      const RaceContext& context) {
  // One race endangers a whole shared array, so its name is enough; for global memory the element
  // is useful.
  const std::string where = memory.space == MemorySpace::shared ? place_of(memory) : memory.text();
  const bool in_block = race.earlier.block == race.later.block;
  return "race on " + where + ": two " +
         (in_block ? "threads of the same block" : "blocks of one launch") +
         " access the same element, and at least one of them writes it. " +
         (in_block ? remedy_in_block(race, update_in(memory, context))
                   : remedy_between_blocks(race, context));
}

std::string race_facts(const RaceDetector::Race& race, const AccessedMemory& memory,
                       const RaceContext& context) {
  const bool in_block = race.earlier.block == race.later.block;
  const Update of_race = update_in(memory, context);
  const char* const update = of_race == Update::same        ? " update=same"
                             : of_race == Update::neighbour ? " update=neighbour"
                                                            : "";
  return (in_block ? "between=threads " : "between=blocks ") + memory.facts() +
         range_facts(static_cast<std::ptrdiff_t>(memory.offset), memory.total_bytes,
                     memory.access_bytes) +
         update;
}

std::string early_read_text(const AccessedMemory& memory) {
  return memory.text() +
         " is read while an asynchronous copy into it is still in flight, so it holds whatever was "
         "there before. The thread that copies must end the batch with __pipeline_commit() and "
         "wait "
         "for it with __pipeline_wait_prior(). After that, other threads need a __syncthreads(). A "
         "copy with a cuda::barrier or a cuda::pipeline ends when a thread has waited for it.";
}

std::string uninitialised_text(const AccessedMemory& memory) {
  const bool is_shared = memory.space == MemorySpace::shared;
  return memory.text() + " is read before " +
         (is_shared ? "any thread of this block has written it" : "anything has written it") +
         ". It holds whatever was there before. " +
         (is_shared ? "Initialise it (for example with 0), or look for an if or a loop bound that "
                      "skips it."
                    : "Fill it with cudaMemcpy or cudaMemset, or look in the kernel that should "
                      "write it for an if or a loop bound that skips it.");
}

std::string uninitialised_copy_text(const char* function, const Allocation& allocation,
                                    std::size_t offset, std::size_t bytes) {
  return std::string(function) + " copies " + count_of(bytes, "byte") +
         " that nothing has written, starting at byte " + std::to_string(offset) +
         " of an allocation of " + count_of(allocation.bytes, "byte") +
         ". They hold whatever was there before.";
}

std::string unwritten_local_text(const std::string& element, const std::string& array,
                                 bool by_thread) {
  return "the thread reads " + element + ", which it has not written. " + array +
         " is a local array: each thread has its own" +
         (by_thread ? ". If all threads of the block should share one array, declare it __shared__."
                    : ", and its initial values are undefined. Set them first.");
}

std::string mask_text(std::uint32_t mask) {
  char hexadecimal[16];
  std::snprintf(hexadecimal, sizeof hexadecimal, "0x%08x", mask);
  return hexadecimal;
}

std::string left_out_text(std::uint32_t mask) {
  return "a lane calls a warp function with a mask (" + mask_text(mask) +
         ") that does not include that lane: the result is undefined. The mask must contain "
         "exactly "
         "the lanes that make the call.";
}

}  // namespace cuda_simulator

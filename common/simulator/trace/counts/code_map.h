#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace cuda_simulator {

// A value for each of a few keys, such as code addresses, with fast search. No key is 0. Values
// never move in memory.
template <typename Value>
class CodeMap {
 public:
  // The value of a key, created by Value() if there is none yet.
  Value& operator[](std::uint64_t key) {
    std::size_t slot = slot_of(key);
    if (slots_[slot].key == key) return *slots_[slot].value;
    if (4 * ++size_ > 3 * slots_.size()) {
      grow();
      slot = slot_of(key);
    }
    slots_[slot] = {key, &values_.emplace_back()};
    return values_.back();
  }

  // Calls function(key, const Value&) for every key, in ascending order, so that the result does
  // not depend on the code layout that the linker chose.
  template <typename Function>
  void for_each(Function function) const {
    std::vector<const Slot*> used;
    for (const Slot& slot : slots_) {
      if (slot.key != 0) used.push_back(&slot);
    }
    std::sort(used.begin(), used.end(),
              [](const Slot* a, const Slot* b) { return a->key < b->key; });
    for (const Slot* const slot : used) function(slot->key, *slot->value);
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Value* value = nullptr;
  };

  std::size_t slot_of(std::uint64_t key) const {
    std::size_t slot = key * 0x9e3779b97f4a7c15u >> shift_;
    while (slots_[slot].key != 0 && slots_[slot].key != key) slot = (slot + 1) % slots_.size();
    return slot;
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    --shift_;
    for (const Slot& slot : old) {
      if (slot.key != 0) slots_[slot_of(slot.key)] = slot;
    }
  }

  int shift_ = 64 - 6;
  std::size_t size_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(1 << 6);
  std::deque<Value> values_;
};

}  // namespace cuda_simulator

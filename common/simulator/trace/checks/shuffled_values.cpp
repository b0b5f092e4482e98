#include "trace/checks/shuffled_values.h"

#include "execution/lanes.h"
#include "trace/report/finding_texts.h"

#include "simulator/findings.h"

#include <cstring>
#include <string>
#include <tuple>

namespace cuda_simulator {
namespace {

// A NaN as a double; its low bytes are a NaN as a float, a half and a bfloat16. Arithmetic
// preserves it, except for its sign and the highest bit of its fraction, and no other value looks
// like it.
constexpr std::uint64_t kUndefined = 0x7ff4dead7fa57fad;

bool is_nan_of(std::uint64_t value, std::uint64_t bits_that_may_change, std::uint64_t nan) {
  return ((value ^ nan) & ~bits_that_may_change) == 0;
}

bool is_undefined_nan(std::uint64_t value) {
  if (value >> 32 != 0) return is_nan_of(value, std::uint64_t{0x8008} << 48, kUndefined);
  if (value >> 16 != 0) return is_nan_of(value, 0x80400000, kUndefined & 0xffffffff);
  return value == 0x7fff;  // half and bfloat16 convert each NaN to this value
}

// The upper half of a 4-byte value is empty.
bool is_same(std::uint64_t value, std::uint64_t other) {
  return value >> 32 != 0 ? value == other : static_cast<std::uint32_t>(other) == value;
}

}  // namespace

// In code that is linked with the tracer, the linker replaces the calls of these four functions.
// They would return the other number, but the greater one of a number and an undefined value is
// undefined.
#define WITH_UNDEFINED(name, Float, Bits)                                              \
  extern "C" Float __real_##name(Float a, Float b);                                    \
  extern "C" Float __wrap_##name(Float a, Float b) {                                   \
    for (const Float value : {a, b}) {                                                 \
      Bits bits;                                                                       \
      std::memcpy(&bits, &value, sizeof bits);                                         \
      if (__builtin_expect(value != value, 0) && is_undefined_nan(bits)) return value; \
    }                                                                                  \
    return __real_##name(a, b);                                                        \
  }
WITH_UNDEFINED(fmaxf, float, std::uint32_t)
WITH_UNDEFINED(fminf, float, std::uint32_t)
WITH_UNDEFINED(fmax, double, std::uint64_t)
WITH_UNDEFINED(fmin, double, std::uint64_t)
#undef WITH_UNDEFINED

bool ShuffledValues::Exchange::makes_undefined(std::uint64_t value) const {
  return (given_is_undefined || got_is_undefined) && is_undefined_nan(value);
}

bool ShuffledValues::Exchange::is_made_of_undefined(std::uint64_t value) const {
  if (!given_is_undefined && !got_is_undefined) return false;
  return is_undefined_nan(value) || is_same(value, given + got) || is_same(value, given | got) ||
         (given_is_undefined && is_same(value, given)) || (got_is_undefined && is_same(value, got));
}

void ShuffledValues::met(int warp, std::uint32_t lanes,
                         std::array<std::uint64_t, kWarpSize>& results) {
  // The usual case: no source is absent, and no value is undefined.
  if (lanes == ~0u && of_block_->lanes[warp] == 0) return;
  const int first = warp * kWarpSize;
  std::uint32_t gives_undefined = 0;
  if (of_block_->lanes[warp] != 0) {
    for_each_lane(lanes & of_block_->lanes[warp], [&](int lane) {
      const std::uint64_t value = block_->warp_call_of(first + lane).value;
      const bool is_undefined = of_block_->exchanges[first + lane].is_made_of_undefined(value);
      gives_undefined |= static_cast<std::uint32_t>(is_undefined) << lane;
    });
  }
  std::array<Origin, kWarpSize> origins;
  for_each_lane(gives_undefined,
                [&](int lane) { origins[lane] = of_block_->exchanges[first + lane].origin; });
  for_each_lane(lanes, [&](int lane) {
    const int thread = first + lane;
    const WarpCall& call = block_->warp_call_of(thread);
    if (call.operation != WarpCall::Operation::shuffle) return;
    const int source = call.source_lane;
    const bool is_absent = (lanes >> source & 1) == 0;
    const bool gives = gives_undefined >> lane & 1, gets = gives_undefined >> source & 1;
    of_block_->lanes[warp] &= ~(1u << lane);
    if (is_absent) results[lane] = kUndefined;
    if (!is_absent && !gives && !gets) return;
    of_block_->lanes[warp] |= 1u << lane;
    const Origin here{thread, source, call.mask,
                      reinterpret_cast<std::uintptr_t>(block_->waits_at(thread))};
    of_block_->exchanges[thread] = {call.value, results[lane], gives, is_absent || gets,
                                    gives       ? origins[lane]
                                    : is_absent ? here
                                                : origins[source]};
  });
}

void ShuffledValues::check_stores(const WarpRequest& request) const {
  const AccessKind kind = without_volatile(request.step.kind());
  if (kind != AccessKind::store && !is_atomic(kind)) return;
  const std::size_t bytes = request.step.bytes();
  if (bytes != 2 && bytes != 4 && bytes != 8) return;
  for_each_lane(request.lanes & of_block_->lanes[request.warp], [&](int lane) {
    std::uint64_t value = 0;  // the log is read after the stores have been executed
    const std::uintptr_t stored = veil_.behind(request.addresses[lane], bytes);
    std::memcpy(&value, reinterpret_cast<const void*>(stored), bytes);
    const Exchange& exchange = of_block_->exchanges[request.warp * kWarpSize + lane];
    // An atomic function adds to another value: only a NaN shows that it has added an undefined
    // one.
    const bool is_found =
        is_atomic(kind) ? exchange.makes_undefined(value) : exchange.is_made_of_undefined(value);
    if (is_found) report(exchange.origin, request, lane);
  });
}

void ShuffledValues::report(const Origin& origin, const WarpRequest& store, int lane) const {
  reporter_.report_repeated(finding_kind::kBarrier, origin.code, store.step.code(), [&] {
    const int own = origin.thread % kWarpSize;
    std::string message = "lane " + std::to_string(own) + " of a warp takes a value from lane " +
                          std::to_string(origin.source_lane) +
                          ", which does not take part in this shuffle";
    message += origin.mask >> origin.source_lane & 1
                   ? ": it is in the mask (" + mask_text(origin.mask) +
                         "), but it has ended or does not exist."
                   : ": the mask (" + mask_text(origin.mask) + ") does not include it.";
    message +=
        " Such a value is undefined, but a result computed from it is stored. Let that lane take "
        "part (for example with 0), or read only from lanes that do: among 8 lanes the largest "
        "offset is 4.";
    const int thread = store.warp * kWarpSize + lane;
    return std::tuple(message,
                      std::vector<Finding::Place>{
                          reporter_.place(origin.code, "shuffle", origin.thread),
                          reporter_.place(store.step.code(), name_of(store.step.kind()), thread)},
                      std::string("call=shuffle"));
  });
}

}  // namespace cuda_simulator

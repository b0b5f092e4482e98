#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

// All kinds of findings.
namespace finding_kind {
inline constexpr char kOutOfBounds[] = "out_of_bounds";
inline constexpr char kArrayIndex[] = "array_index";
inline constexpr char kFreedMemory[] = "freed_memory";
inline constexpr char kNullPointer[] = "null_pointer";
inline constexpr char kHostPointer[] = "host_pointer";
inline constexpr char kDevicePointerOnHost[] = "device_pointer_on_host";
inline constexpr char kMisaligned[] = "misaligned";
inline constexpr char kRace[] = "race";
inline constexpr char kUninitialised[] = "uninitialised";
inline constexpr char kBarrier[] = "barrier";
inline constexpr char kDeadlock[] = "deadlock";
inline constexpr char kEndless[] = "endless";
inline constexpr char kAssert[] = "assert";
inline constexpr char kException[] = "exception";
inline constexpr char kStackOverflow[] = "stack_overflow";
inline constexpr char kDivisionByZero[] = "division_by_zero";
inline constexpr char kIllegalInstruction[] = "illegal_instruction";
inline constexpr char kBadAccess[] = "bad_access";
inline constexpr char kGroup[] = "group";
inline constexpr char kAsyncCopy[] = "async_copy";
inline constexpr char kTexture[] = "texture";
inline constexpr char kLaunchInKernel[] = "launch_in_kernel";
inline constexpr char kRefusedCopy[] = "refused_copy";
inline constexpr char kRefusedLaunch[] = "refused_launch";
inline constexpr char kFailedCall[] = "failed_call";
inline constexpr char kPeerAccess[] = "peer_access";
inline constexpr char kWrongDevice[] = "wrong_device";
inline constexpr char kStreamRace[] = "stream_race";
inline constexpr char kHostRace[] = "host_race";
inline constexpr char kNccl[] = "nccl";
inline constexpr char kUnrecorded[] = "unrecorded";
}  // namespace finding_kind

// One error in a kernel, as found by the traced build.
struct Finding {
  std::string kind;  // one of finding_kind
  std::string kernel;
  std::string message;  // the text for a person, without the places

  struct Place {
    std::string file;
    int line = 0, column = 0;
    std::string operation;  // load, store, atomic, wait, ...
    unsigned thread[3] = {}, block[3] = {};
    bool in_kernel = true;
  };
  std::vector<Place> places;
  std::uint64_t count = 1;  // number of times that the same error happened at the same places
  std::string facts = {};   // what else a program may ask for: "memory=shared array=tile"
};

// The findings since the last call; a test that takes them must handle them. Only the traced
// library has these functions, because the plain library finds nothing.
std::vector<Finding> take_findings();

// The copies that the runtime refused since the last call, each as a finding; they are not reported
// again at the end of the program.
std::vector<Finding> take_refused_copies();

// The text for a person: the message, then one line per place.
std::string describe(const Finding& finding);

// The finding as in the report's list of findings (docs/simulator.md): a JSON object.
std::string as_json(const Finding& finding);

// The text for programs, in words separated by spaces: the kind, each place's operation, thread and
// block, the finding's own facts, and the kernel without template arguments.
// "finding=out_of_bounds access=load thread=5 block=0 memory=global where=behind
// kernel=copy_kernel"
std::string facts_of(const Finding& finding);

}  // namespace cuda_simulator

#include "nccl/failures.h"

#include "nccl/rendezvous.h"
#include "runtime/stream_order.h"
#include "trace/tracer.h"

#include "simulator/findings.h"
#include "simulator/say_once.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace cuda_simulator::nccl {
namespace {

thread_local std::string last_message;

// From now on the program fails, even if it ignores the error.
void fail_at_end() {
  static std::once_flag is_registered;
  std::call_once(is_registered, [] {
    std::atexit([] {
      send_last_replies();
      std::fflush(nullptr);
      _exit(1);
    });
  });
}

}  // namespace

ncclResult_t refuse(ncclResult_t result, const std::string& message, std::uintptr_t caller) {
  last_message = message;
  if (Tracer* const tracer = program_tracer()) {
    const RuntimeCall one_at_a_time;
    tracer->call_failed(finding_kind::kNccl, message, caller);
  } else {
    fail_at_end();
    say_once(message, message);
  }
  return result;
}

const std::string& last_refusal() { return last_message; }

std::string place_text(std::uintptr_t caller) {
  Tracer* const tracer = program_tracer();
  return tracer && caller != 0 ? tracer->place_text(caller) : "";
}

std::uint64_t program_file() {
  struct stat file = {};
  if (stat("/proc/self/exe", &file) != 0) return 0;
  return static_cast<std::uint64_t>(file.st_dev) << 40 ^ static_cast<std::uint64_t>(file.st_ino);
}

}  // namespace cuda_simulator::nccl

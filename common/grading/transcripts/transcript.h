#pragma once

#include <functional>
#include <type_traits>

// Tests on a stranger's answer, in two programs that share no process.
//
// The answer runs in one, with the tests around it; but there it could tamper with them. So each
// call of its functions is written down: what it made of device memory, what it returned, which
// error it left. The other program, the judge, holds the same tests and nothing of the answer:
// there each call is played back, and the tests judge it again.
//
// The linker is the switch: transcribe() is in record_calls.cpp and in replay_calls.cpp. A file
// such as ch3_transpose.cpp has the functions that an exercise asks for, calls those of the answer,
// which are renamed into namespace `submission`, and is linked with either.
//
// result: result_bytes of what the call returns, nullptr if nothing.
void transcribe(const std::function<void()>& call, void* result, std::size_t result_bytes);

// The result of call(), in either program.
template <typename Call>
auto transcribed(const Call& call) {
  using Result = decltype(call());
  if constexpr (std::is_void_v<Result>) {
    transcribe(call, nullptr, 0);
  } else {
    static_assert(std::is_trivially_copyable_v<Result>);
    Result result{};
    transcribe([&] { result = call(); }, &result, sizeof result);
    return result;
  }
}

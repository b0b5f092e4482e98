#pragma once

#include <functional>
#include <type_traits>

// Tests on a stranger's answer, in two programs that share no process.
//
// One program runs the answer together with the tests, but there the answer could tamper with
// them. So each call of its functions is recorded: the content of device memory afterwards, the
// result, and the last error. The other program, the judge, has the same tests but no code of the
// answer: it replays each call, and the tests check it again.
//
// The linker selects the program: transcribe() is defined in record_calls.cpp and in
// replay_calls.cpp. A file such as ch3_transpose.cpp defines the functions of an exercise, calls
// the answer's, which are renamed into namespace `submission`, and is linked with one of the two.
//
// result: result_bytes that the call returns, nullptr if it returns nothing.
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

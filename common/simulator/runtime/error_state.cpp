#include "runtime/error_state.h"

#include "trace/tracer.h"

#include "simulator/faults.h"
#include "simulator/snapshot.h"

#include <algorithm>
#include <iterator>

namespace cuda_simulator {
namespace {

struct ErrorText {
  cudaError code;
  const char* name;
  const char* text;
};

// The texts of CUDA 13.0.
constexpr ErrorText kErrorTexts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidChannelDescriptor, "cudaErrorInvalidChannelDescriptor",
     "invalid channel descriptor"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidFilterSetting, "cudaErrorInvalidFilterSetting",
     "linear filtering not supported for non-float type"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled",
     "peer access has not been enabled"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorHardwareStackError, "cudaErrorHardwareStackError", "hardware stack error"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
     "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* find_text(cudaError_t error) {
  const auto* const found = std::find_if(std::begin(kErrorTexts), std::end(kErrorTexts),
                                         [=](const ErrorText& text) { return text.code == error; });
  return found == std::end(kErrorTexts) ? nullptr : found;
}

// CUDA keeps the last error per host thread.
thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

ErrorState& ErrorState::get() {
  static ErrorState& state =
      *new ErrorState;  // never destroyed: a program's own objects may end after it
  return state;
}

cudaError_t ErrorState::report(cudaError_t error) {
  if (lost() != cudaSuccess) return last_error = lost();
  if (error == cudaSuccess || error == cudaErrorNotReady) return error;
  if (Tracer* const tracer = program_tracer()) tracer->error_reported(error);
  return last_error = error;
}

void ErrorState::lose_context(cudaError_t error) {
  lost_[static_cast<std::size_t>(current_device())] = error;
}

cudaError_t ErrorState::lost() const { return lost_[static_cast<std::size_t>(current_device())]; }

cudaError_t ErrorState::last() const { return lost() != cudaSuccess ? lost() : last_error; }

cudaError_t ErrorState::peek_at_last() {
  ++reads_;
  return last();
}

cudaError_t ErrorState::take_last() {
  const cudaError_t result = peek_at_last();
  last_error = cudaSuccess;
  return result;
}

void ErrorState::reset() {
  was_reset_ = true;
  lose_context(cudaSuccess);
  last_error = cudaSuccess;
}

bool ErrorState::launch_fails() { return launches_to_failure_ > 0 && --launches_to_failure_ == 0; }

void set_last_error(cudaError_t error) { ErrorState::get().report(error); }

bool fail_launch(int number) { return ErrorState::get().fail_launch(number); }

}  // namespace cuda_simulator

const char* cudaGetErrorName(cudaError_t error) {
  const auto* const text = cuda_simulator::find_text(error);
  return text ? text->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const auto* const text = cuda_simulator::find_text(error);
  return text ? text->text : "unrecognized error code";
}

cudaError_t cudaGetLastError() { return cuda_simulator::ErrorState::get().take_last(); }
cudaError_t cudaPeekAtLastError() { return cuda_simulator::ErrorState::get().peek_at_last(); }

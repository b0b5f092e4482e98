#pragma once

#include "simulator/runtime_api.h"

#include <cstddef>

// Attributes of a stream. They are stored without effect: the simulator models no cache.

enum cudaAccessProperty {
  cudaAccessPropertyNormal = 0,
  cudaAccessPropertyStreaming = 1,
  cudaAccessPropertyPersisting = 2,
};
struct cudaAccessPolicyWindow {
  void* base_ptr;
  std::size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributePriority = 8,
};
union cudaLaunchAttributeValue {
  char pad[64];
  cudaAccessPolicyWindow accessPolicyWindow;
  int priority;
};
typedef cudaLaunchAttributeID cudaStreamAttrID;
typedef cudaLaunchAttributeValue cudaStreamAttrValue;
constexpr cudaLaunchAttributeID cudaStreamAttributeAccessPolicyWindow =
                                    cudaLaunchAttributeAccessPolicyWindow,
                                cudaStreamAttributePriority = cudaLaunchAttributePriority;

// Of a stream that cudaStreamCreate() has created.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value);
cudaError_t cudaCtxResetPersistingL2Cache();

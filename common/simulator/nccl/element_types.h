#pragma once

#include <nccl.h>

#include <cstddef>
#include <vector>

namespace cuda_simulator::nccl {

bool is_type(ncclDataType_t type);
bool is_operation(ncclRedOp_t operation);
std::size_t bytes_of(ncclDataType_t type);
const char* name_of(ncclDataType_t type);    // "float"
const char* name_of(ncclRedOp_t operation);  // "ncclSum"

// out[i] = the operation over in[0][i], in[1][i], ..., in this order, each step rounded to the
// type. `out` may be one of the inputs. A mean of floating-point numbers is the sum of
// in[k][i] / n, as NCCL computes it; one of integers is the sum divided by n.
void reduce(void* out, const std::vector<const void*>& in, std::size_t count, ncclDataType_t type,
            ncclRedOp_t operation);

}  // namespace cuda_simulator::nccl

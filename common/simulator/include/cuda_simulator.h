#pragma once

// The simulator's face: what programs outside it use, next to CUDA's own headers. The harness, the
// tests and the judge take findings, count launches, make launches fail, and copy device memory.

#include "simulator/faults.h"
#include "simulator/findings.h"
#include "simulator/last_stores.h"
#include "simulator/launches.h"
#include "simulator/snapshot.h"

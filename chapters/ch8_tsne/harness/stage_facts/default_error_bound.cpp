#include "error_bound.h"

ErrorBound error_bound(int dimensions) { return direct_error_bound(dimensions); }

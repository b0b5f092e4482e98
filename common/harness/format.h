#pragma once

#include <string>

// The output of printf, as a string.
__attribute__((format(printf, 1, 2))) std::string format(const char* pattern, ...);

// The value with at most `digits` digits; "NaN", without its sign, for a NaN.
std::string printed(double value, int digits = 6);

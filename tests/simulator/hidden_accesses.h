#pragma once

// Functions that are compiled without hooks, so that the tracer does not see their accesses.

float hidden_load(const float* from);
void hidden_store(float* to, float value);
// In the memory of the running kernel's arguments, which all its threads read.
void change_arguments(float from, float to);

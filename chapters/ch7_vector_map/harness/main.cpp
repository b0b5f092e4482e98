#include "harness/device_map_main.h"
#include "vector_map.h"

int main(int argc, char** argv) { return run_device_map<float>(vector_map, argc, argv); }

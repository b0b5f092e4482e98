#include "harness/device_map_main.h"
#include "double_map.h"

int main(int argc, char** argv) { return run_device_map<double>(double_map, argc, argv); }

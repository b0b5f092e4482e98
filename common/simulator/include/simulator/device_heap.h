#pragma once

// new, delete, malloc and free of a .cu file: the assembler gives them other names. In a kernel
// they use the device's heap, on the host the C library (execution/device_heap.cpp). A label of
// asm at their declarations would do the same, but g++ 12 crashes with it.
__asm__(
    ".set _Znwm, cuda_simulator_new\n"
    ".set _Znam, cuda_simulator_new_array\n"
    ".set _ZdlPv, cuda_simulator_delete\n"
    ".set _ZdlPvm, cuda_simulator_delete\n"
    ".set _ZdaPv, cuda_simulator_delete_array\n"
    ".set _ZdaPvm, cuda_simulator_delete_array\n"
    ".set malloc, cuda_simulator_malloc\n"
    ".set free, cuda_simulator_free\n");

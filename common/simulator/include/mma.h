#pragma once

// Hides the Toolkit's header, whose functions do nothing when g++ compiles them.
#error The simulator does not model tensor cores. With a GPU, build this program with nvcc.

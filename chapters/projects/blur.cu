// Project: image blur (2 hours)
//
// Replace each pixel of a grey image by the mean of the square of pixels around it. blur.h has the
// formula, the rule for the border and the function to define. Everything below the includes is
// yours: constants, kernels and the launch.
//
// Goal: correct for every width, height and radius, empty images too. At most 4 global load
// requests and 20 shared load wavefronts per 32 pixels, for a radius of 3, where a square has 49
// pixels. One sector per store request, and no bank conflicts.
// Check:   ./workbook check project_blur
// Look:    ./workbook inspect project_blur
//
// Start with the simplest kernel that is correct: one thread per pixel, and two loops.
// chapters/projects/README.md suggests the steps after that.

#include "blur.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

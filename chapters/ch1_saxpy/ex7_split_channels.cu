// Exercise 7: split channels (15 minutes)
//
// A recording with 8 channels is stored frame by frame: 8 floats, one per channel, then the 8
// floats of the next frame. To filter one channel, a program needs its values next to each other.
// So copy channel 0 of all frames first, then channel 1, and so on; split_channels.h has the
// formula. Kernel and launch are missing, and the design is yours: which thread copies which float?
//
// Goal: the right order for every number of frames, 0 too, with blocks of `threads` threads; an
// exception if the launch is refused. Each float is loaded once and stored once, by loads of one
// float per thread, with 4 sectors per request.
// Check:   ./workbook check ch1_ex7
// Look:    ./workbook inspect ch1_ex7
//
// Predict first: count on paper, for one warp. If each thread copies a whole frame, how many
// sectors does a load touch, and how many does a store? And if each thread copies one float, and
// consecutive threads load consecutive floats?

#include "split_channels.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

// TODO: the kernel. (about 8 lines)
void split_channels(const float* d_in, float* d_out, int frames, int threads, cudaStream_t stream) {
  // TODO: the launch, in the caller's stream: <<<blocks, threads, 0, stream>>>. (about 4 lines)
}

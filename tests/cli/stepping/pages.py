"""Pages for the browser tests: of traced stages, of traced programs with errors, and one of maximum size."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from stepping.support import recorded, report_text, traced
from support import ROOT, access, built_traced, simulator_tree

from cli.building.own_program import OwnProgram
from cli.measuring.measurements import usual_options
from cli.stepping import page_file
from cli.stepping.page_data import page_data
from cli.tracing.trace import trace
from cli.tracing.traced_run import TracedRun
from cli.workbook import Workbook

ENVIRONMENT = {"CUDA_SIMULATOR_STEPS": "1", "CUDA_SIMULATOR_ELEMENTS": "1"}
STAGES = (
    "ch0_machine_divergence",
    "ch1_saxpy_many_blocks",
    "ch2_subset_sum_naive",
    "ch3_transpose_naive",
    "ch3_transpose_localmem",
    "ch3_transpose_padded",
    "ch4_reduction_shared_tree",
    "ch4_reduction_warp_shuffle",
    "ch5_dot_product_partial_sums",
    "ch6_matmul_tiled",
)

# One program with three errors; its argument selects one.
MISTAKES = """#include <cuda_runtime.h>
__global__ void turn_kernel(const float* in, float* out) {
  __shared__ float row[64];
  row[threadIdx.x] = in[threadIdx.x];  // </script> & "quotes"
  out[threadIdx.x] = row[63 - threadIdx.x];
}
__global__ void one_element_kernel(const float* in, float* out) {
  if (threadIdx.x == 0) out[0] = in[blockIdx.x];
}
__global__ void past_the_end_kernel(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x + 1];
}
int main(int, char** arguments) {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  cudaMemset(out, 0, 64 * sizeof(float));
  if (arguments[1][0] == 't') turn_kernel<<<1, 64>>>(in, out);
  if (arguments[1][0] == 'o') one_element_kernel<<<4, 32>>>(in, out);
  if (arguments[1][0] == 'p') past_the_end_kernel<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
}
"""


def trace_stages() -> dict[str, TracedRun]:
    """The runs of the stages, at the sizes of ./workbook inspect."""
    build, workbook = simulator_tree(), Workbook(ROOT)
    build.build("stages", [f"{stage}_inspect" for stage in STAGES])
    runs = {}
    for stage in STAGES:
        files = workbook.files_of(workbook.catalogue.find_program(stage).chapter)
        options = usual_options(files.inspect_size)
        runs[stage] = trace(build.program(f"{stage}_inspect"), options, environment=ENVIRONMENT)
    return runs


@contextlib.contextmanager
def traced_mistakes() -> Iterator[dict[str, TracedRun]]:
    """The runs by the first letter of the kernel. The source exists inside the context."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="my <kernels> & 'pages' "))
        source = Path(folder).resolve() / "mistakes.cu"
        source.write_text(MISTAKES, encoding="utf-8")
        executable = built_traced(OwnProgram((source,)), stack.callback)
        yield {letter: trace(executable, [letter], environment=ENVIRONMENT) for letter in "top"}


def large_run() -> TracedRun:
    """10,000 requests of 1024 threads to a 64 x 64 matrix and to a tile with bank conflicts."""
    size, steps = 64 * 64 * 4, []
    for number in range(10_000):
        warp = number % 32
        if number % 2:
            steps.append([1, warp, 1, 32, 1, 0, 0, 32, 4 * warp, 128])
        else:
            steps.append([0, warp, 0, 32, 4, 0, 0, 32, 4 * (number // 2 % 64), 256])
    arrays = [
        {"memory": "global", "name": "allocation 1", "bytes": size, "begin_in_line": 0},
        {"memory": "shared", "name": "tile", "bytes": 4096, "begin_in_line": 0},
    ]
    elements = {"memory": "global", "array": "allocation 1", "array_bytes": size, "element_bytes": 4, "columns": 64}
    accesses = [
        access(3, file=__file__, requests=5000, sectors=160_000, ideal_sectors=20_000, max_sectors=32),
        access(4, file=__file__, memory="shared", requests=5000, wavefronts=160_000, ideal_wavefronts=5000),
    ]
    elements.update(has_rows=True, loads=None, stores=None)
    kernel = {"block": [32, 32, 1], "threads": 1024, "elements": [elements]}
    return traced(report_text(accesses, recorded(steps, arrays=arrays), **kernel))


def write_page(file: Path, *runs: TracedRun) -> Path:
    page_file.write(file, page_data(list(runs), time.time()))
    return file

"""An exact t-SNE descent in PyTorch on the GPU, timed, for comparison with the stages.

    python3 chapters/ch9_embedding/baselines/torch_loop.py --n 16384 --iterations 100

Computes the same as embed() in embedding.h, in single precision, on generated lists of neighbours: the matrix of q of
all pairs, pushes as products of that matrix with the points, pulls by index. Prints a line of CSV: n, iterations,
milliseconds per iteration (median, smallest, largest of the rounds), device, PyTorch. Exit code 3 without PyTorch or a
GPU.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from typing import Any, Callable

NEIGHBOURS = 175  # per point: the length of the lists in the stages' programs at 16384 points
EARLY_MOMENTUM, LATE_MOMENTUM, EXAGGERATION = 0.5, 0.8, 12.0


def make_step(torch: Any, count: int, device: Any) -> Callable[[int, int], None]:
    """A function that executes one iteration of a descent of `count` points, and keeps its state."""
    generator = torch.Generator(device=device).manual_seed(1)
    targets = torch.randint(count, (count * NEIGHBOURS,), generator=generator, device=device)
    sources = torch.arange(count, device=device).repeat_interleave(NEIGHBOURS)
    shares = torch.full((count * NEIGHBOURS,), 1.0 / (count * NEIGHBOURS), device=device)
    points = 1e-4 * torch.randn(count, 2, generator=generator, device=device)
    steps, gains = torch.zeros_like(points), torch.ones_like(points)
    rate = max(50.0, count / 48)

    def step(iteration: int, iterations: int) -> None:
        is_early = iteration < iterations // 4
        squares = (points * points).sum(1)
        distances = (squares[:, None] + squares[None, :]).addmm_(points, points.T, alpha=-2).clamp_(min=0)
        near = distances.add_(1).reciprocal_()
        near.fill_diagonal_(0)
        total = near.sum()
        near.square_()
        pushes = near.sum(1, keepdim=True) * points - near @ points
        apart = points[sources] - points[targets]
        weights = shares / (1 + (apart * apart).sum(1))
        pulls = torch.zeros_like(points).index_add_(0, sources, weights[:, None] * apart)
        gradient = 4 * ((EXAGGERATION if is_early else 1.0) * pulls - pushes / total)
        keeps_direction = gradient * steps < 0
        gains.copy_(torch.where(keeps_direction, gains + 0.2, gains * 0.8).clamp_(min=0.01))
        steps.mul_(EARLY_MOMENTUM if is_early else LATE_MOMENTUM).sub_(rate * gains * gradient)
        points.add_(steps)

    return step


def timed_ms(torch: Any, step: Callable[[int, int], None], iterations: int) -> float:
    """Milliseconds per iteration, by the GPU's events."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for iteration in range(iterations):
        step(iteration, iterations)
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / iterations


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=16384, help="points")
    parser.add_argument("--iterations", type=int, default=100, help="per round")
    parser.add_argument("--rounds", type=int, default=5)
    parsed = parser.parse_args(arguments)
    if min(parsed.n, parsed.iterations, parsed.rounds) < 1:
        parser.error("--n, --iterations and --rounds take integers from 1 on")
    try:
        import torch
    except ModuleNotFoundError:
        print("Left out: there is no PyTorch here (python3 -m pip install torch).", file=sys.stderr)
        return 3
    if not torch.cuda.is_available():
        print("Left out: PyTorch finds no GPU here.", file=sys.stderr)
        return 3
    torch.backends.cuda.matmul.allow_tf32 = False
    step = make_step(torch, parsed.n, torch.device("cuda"))
    for iteration in range(10):  # warm-up: loads the kernels and allocates memory
        step(iteration, 10)
    rounds = [timed_ms(torch, step, parsed.iterations) for _ in range(parsed.rounds)]
    print("n,iterations,median_ms,min_ms,max_ms,device,torch")
    times = ",".join(f"{value:.5f}" for value in (statistics.median(rounds), min(rounds), max(rounds)))
    print(f"{parsed.n},{parsed.iterations},{times},{torch.cuda.get_device_name()},{torch.__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

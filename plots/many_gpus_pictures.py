"""Pictures of ch10_many_gpus: a ring step by step, and the owners of a matrix's blocks. Formulas as in the stages."""

from __future__ import annotations

from cli.pictures.svg_drawing import FAINT, INK, MARGIN, PAPER, QUIET, WARP_COLOURS, WIDTH, Drawing, tint

_GPUS = 3
_COLOURS = WARP_COLOURS[:_GPUS]
_LETTERS = "abc"  # the arrays of GPUs 0, 1 and 2


def chunk_sent(sender: int, step: int, gpus: int) -> int:
    """The chunk that a GPU sends in a step, as in all_reduce/01_ring.cu."""
    return (sender + 2 * gpus - step) % gpus


def ring_states(gpus: int) -> list[list[list[set[int]]]]:
    """The GPUs whose arrays are in each chunk of each GPU, after each step. State 0 is the start.

    A GPU's result is empty at first; in the first step it sends a chunk of its own array.
    """
    results: list[list[set[int]]] = [[set() for _ in range(gpus)] for _ in range(gpus)]
    states = [[[{gpu} for _ in range(gpus)] for gpu in range(gpus)]]
    for step in range(2 * (gpus - 1)):
        sent = {}
        for gpu in range(gpus):
            chunk = chunk_sent(gpu, step, gpus)
            sent[gpu] = (chunk, {gpu} if step == 0 else set(results[gpu][chunk]))
        for gpu, (chunk, content) in sent.items():
            receiver = (gpu + 1) % gpus
            results[receiver][chunk] = content | ({receiver} if step < gpus - 1 else set())
        states.append([[set(chunk) for chunk in gpu] for gpu in results])
    return states


def ring_steps() -> str:
    states = ring_states(_GPUS)
    row, cell = 66, 62
    drawing = Drawing(
        110 + row * len(states),
        "A ring of three GPUs: reduce-scatter, then all-gather",
        "Three GPUs have an array of three chunks each. In each step every GPU sends a chunk to the next one. After two "
        "steps each GPU has one complete sum, and after two more steps all GPUs have all three.",
    )
    left, pitch = 150, 204
    for gpu in range(_GPUS):
        drawing.text(left + pitch * gpu + 1.5 * cell, 66, f"GPU {gpu}", 14, anchor="middle", bold=True)
    for number, state in enumerate(states):
        top = 80 + row * number
        half = "reduce-scatter" if number <= _GPUS - 1 else "all-gather"
        drawing.text(MARGIN, top + 22, "their arrays" if number == 0 else f"after step {number - 1}", 13, bold=True)
        drawing.text(MARGIN, top + 39, "" if number == 0 else half, 12, QUIET)
        for gpu, chunks in enumerate(state):
            for chunk, content in enumerate(chunks):
                _draw_chunk(drawing, left + pitch * gpu + cell * chunk, top, cell - 4, chunk, content)
    words = "A letter is a GPU's array, a column is a chunk. A GPU sends to its right, the last one to the first."
    drawing.text(MARGIN, 98 + row * len(states), words, 12, QUIET)
    return drawing.svg()


def _draw_chunk(drawing: Drawing, x: float, y: float, size: float, chunk: int, content: set[int]) -> None:
    is_complete = len(content) == _GPUS
    shade = {0: PAPER, 1: tint(_COLOURS[chunk], 0.2), 2: tint(_COLOURS[chunk], 0.45), 3: tint(_COLOURS[chunk], 0.85)}
    drawing.box(x, y, size, 44, shade[len(content)], INK if is_complete else FAINT, radius=3)
    words = "+".join(_LETTERS[gpu] for gpu in sorted(content))
    if words:
        drawing.text(x + size / 2, y + 27, f"{words}", 13, anchor="middle", bold=is_complete)


def blocks_owned() -> str:
    """The source and the target of each block in a transpose over three GPUs."""
    cell, top = 76, 84
    side = _GPUS * cell
    drawing = Drawing(
        top + side + 66,
        "A transpose on three GPUs: which blocks cross a link",
        "Rows of in and of out are divided among three GPUs. The block in row g and column p of in is on GPU g, and goes "
        "to row p and column g of out, on GPU p.",
    )
    lefts = (MARGIN + 58, WIDTH - MARGIN - side)
    for left, name, is_in in ((lefts[0], "in", True), (lefts[1], "out", False)):
        drawing.text(left + side / 2, top - 26, f"`{name}`", 14, anchor="middle")
        for row in range(_GPUS):
            drawing.text(left - 10, top + cell * row + cell / 2 + 5, f"GPU {row}", 13, anchor="end", bold=True)
            for col in range(_GPUS):
                source, target = (row, col) if is_in else (col, row)
                x, y = left + cell * col, top + cell * row
                drawing.box(x + 2, y + 2, cell - 4, cell - 4, tint(_COLOURS[source], 0.5), INK, dashed=source != target)
                drawing.text(x + cell / 2, y + cell / 2 + 5, f"{source} to {target}", 13, anchor="middle")
    drawing.arrow_right(lefts[0] + side + 14, lefts[1] - 66, top + side / 2)
    words = "The colour shows the GPU that has the block first. Dashed: it crosses a link. Each block is transposed."
    drawing.text(MARGIN, top + side + 42, words, 12, QUIET)
    return drawing.svg()

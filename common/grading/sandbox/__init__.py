"""Rooms in which a stranger's program can do no harm."""

from grading.sandbox.needed_files import shared_libraries
from grading.sandbox.rooms import MAX_WORKERS, Contained, Sandbox, require_sandbox

__all__ = ["MAX_WORKERS", "Contained", "Sandbox", "require_sandbox", "shared_libraries"]

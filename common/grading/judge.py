"""The judge's face: what the commands `grade` and `class` use of it. Outside this folder only the judge's tests import
another file of it.
"""

from __future__ import annotations

from grading.class_copy import new_copy, update_copy
from grading.export import KINDS, Asked, export
from grading.gradebook import filled, read_gradebook
from grading.judging import NOT_GRADED, Examiner, Grade, grade_side_by_side, nvcc_in_room, try_references
from grading.marking import MANUAL_COLUMNS, Marking, Weights, read_late_days, read_manual_marks, read_weights
from grading.platforms import CLASSROOM50, GRADESCOPE, writer_for
from grading.reports import (
    read_report, remove_report, write_feedback, write_in_one_step, write_marks, write_reports, write_summary,
)  # fmt: skip
from grading.sandbox import MAX_WORKERS, Contained, Sandbox, require_sandbox
from grading.slurm import grade_with_slurm, last_words
from grading.students import Student, find_students, listed_students, one_student
from grading.submissions import Submission, digest_of, files_of, find_submission

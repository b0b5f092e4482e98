"""Sphinx's settings for the book. Its source, in the build tree, is written by the modules in the folder above."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parents[2])]

project = "CUDA workbook"
html_title = project
root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.githubpages", "sphinx_copybutton", "workbook_book"]
# What the pages' Markdown does not say, from book_source.py.
workbook_values = json.loads(Path(os.environ["WORKBOOK_BOOK_VALUES"]).read_text(encoding="utf-8"))

# The pages are written for repositories' sites. Of what MyST adds to Markdown they have the directives that
# book_source.py puts in; a line that begins with "%" is text.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target", "myst_role"]
myst_heading_anchors = 6
# Where an excerpt of code is not a whole program, its colours may be off.
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "text"

smartquotes = False  # what begins with "--" is an option

html_theme = "furo"
html_favicon = "static/favicon.svg"
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = ["answers.js", "predict.js", "terms.js", "steps.js"]
html_copy_source = False
html_use_index = False
html_show_copyright = False
copybutton_prompt_text = "$ "

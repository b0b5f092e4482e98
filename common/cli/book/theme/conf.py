"""Sphinx's settings for the book. The modules in the parent folder write its source into the build tree."""

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
# Data from book_source.py that is not in the pages' Markdown.
workbook_values = json.loads(Path(os.environ["WORKBOOK_BOOK_VALUES"]).read_text(encoding="utf-8"))

# The pages are written for repository sites. The only MyST syntax in them is the directives from book_source.py; a line
# that starts with "%" is text.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target", "myst_role"]
myst_heading_anchors = 6
# The colours of an excerpt that is not a whole program can be wrong.
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "text"
pygments_style = "default"  # all colours have enough contrast

smartquotes = False  # words that start with "--" are options

html_theme = "furo"
html_favicon = "static/favicon.svg"
html_static_path = ["static"]
templates_path = ["templates"]
html_additional_pages = {"search": "search.html"}
html_css_files = ["book.css", "structure.css", "figures.css", "cost_strip.css"]
html_js_files = ["answers.js", "predict.js", "terms.js", "steps.js", "structure.js", "print.js"]
html_js_files += ["figures_model.js", "figures.js"]
html_copy_source = False
html_use_index = False
html_show_copyright = False
copybutton_prompt_text = "$ "

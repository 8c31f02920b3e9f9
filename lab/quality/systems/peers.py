"""Reads one {"program", "path"} per line; writes one {"markdown"} or {"error"} per line."""

import contextlib
import io
import json
import sys

import pymupdf4llm
from markitdown import MarkItDown

markitdown = MarkItDown(enable_plugins=False)
for line in sys.stdin:
    request = json.loads(line)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            if request["program"] == "pymupdf4llm":
                text = pymupdf4llm.to_markdown(request["path"], show_progress=False)
            else:
                text = markitdown.convert(request["path"]).text_content
        reply = {"markdown": text}
    except Exception as error:  # a peer may raise any error
        reply = {"error": repr(error)}
    print(json.dumps(reply), flush=True)

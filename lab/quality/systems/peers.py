"""Reads one {"program", "path"} per line; writes one {"markdown"}, {"tables"} or {"error"} per line."""

import contextlib
import io
import json
import sys

import pdfplumber
import pymupdf4llm
from markitdown import MarkItDown

markitdown = MarkItDown(enable_plugins=False)
for line in sys.stdin:
    request = json.loads(line)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            if request["program"] == "pdfplumber":
                with pdfplumber.open(request["path"]) as pdf:
                    tables = [
                        [[cell or "" for cell in row] for row in table]
                        for page in pdf.pages
                        for table in page.extract_tables()
                    ]
            elif request["program"] == "pymupdf4llm":
                text = pymupdf4llm.to_markdown(request["path"], show_progress=False)
            else:
                text = markitdown.convert(request["path"]).text_content
        reply = {"tables": tables} if request["program"] == "pdfplumber" else {"markdown": text}
    except Exception as error:  # a peer may raise any error
        reply = {"error": repr(error)}
    print(json.dumps(reply), flush=True)

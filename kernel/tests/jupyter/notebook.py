"""nbclient runs every notebook of a folder: `notebook.py FOLDER`. None may fail, and none may be stored with outputs."""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb")):
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells and all(not cell.outputs and cell.execution_count is None for cell in cells), f"{path.name}: outputs are stored"
    NotebookClient(notebook, timeout=120, kernel_name="roborm", resources={"metadata": {"path": "."}}).execute()
    nbformat.validate(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    forms = {form for cell in cells for output in cell.outputs for form in output.get("data", {})}
    missing = {"text/plain", "text/html", "image/png", "application/vnd.plotly.v1+json"} - forms
    assert not missing, f"{path.name}: nothing is shown as {missing}"
    text = "".join(cell.source for cell in cells) + str([cell.outputs for cell in cells])
    assert "imulated" in text
    print(path.name, len(cells), "cells")

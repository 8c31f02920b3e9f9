"""Prints the table of each file whose path is a line of stdin, as JSON."""
import csv
import json
import sys

import docx
import openpyxl

csv.field_size_limit(10_000_000)


def read(path: str):
    if path.endswith('.csv'):
        with open(path, newline='', encoding='utf-8') as file:
            return {'rows': list(csv.reader(file))}
    if path.endswith('.xlsx'):
        sheet = openpyxl.load_workbook(path).active
        cells = [[cell for cell in row] for row in sheet.iter_rows()]
        return {
            'sheet': sheet.title,
            'rows': [[cell.value for cell in row] for row in cells],
            'formulas': sum(cell.data_type == 'f' for row in cells for cell in row),
        }
    document = docx.Document(path)
    table = document.tables[0]
    return {
        'sheet': document.paragraphs[0].text,
        'rows': [[cell.text for cell in row.cells] for row in table.rows],
    }


for line in sys.stdin:
    print(json.dumps(read(line.strip())), flush=True)

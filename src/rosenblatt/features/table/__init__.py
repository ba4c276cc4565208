"""Tables as vectors.

table_map.py   TableMap: fit, transform, names, JSON
columns.py     what training knows about a column of values, and one text for one value, whatever type its column came in
numbers.py     what it knows about a column of numbers: mean and spread, frequent values, bins
blocks.py      from codes and numbers to features, block by block
encoding.py    the columns of some rows as codes and numbers, and from all blocks to the rows that the loop reads
"""

from __future__ import annotations

from rosenblatt.features.table.table_map import TableMap, as_frame

__all__ = ["TableMap", "as_frame"]

"""Tables as vectors.

table_map.py   TableMap: fit, transform, names
columns.py     what training knows about a column of values, one text for one value, and rows as codes and numbers
numbers.py     what training knows about a column of numbers: mean and spread, frequent values, bins
blocks.py      from codes and numbers to features, block by block, and from all blocks to the rows that the loop reads
hashed.py      values and products of which no name is remembered
variants.py    the same map with other features: without bins, with products, with values that came later
on_disk.py     tables that are larger than memory
saved.py       a map again, from a model file
"""

from __future__ import annotations

from rosenblatt.features.table.table_map import TableMap, as_frame

__all__ = ["TableMap", "as_frame"]

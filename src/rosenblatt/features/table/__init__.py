"""Tables as vectors.

table_map.py   TableMap: fit, transform, names
columns.py     what training knows about a column of values, one text for one value, and rows as codes and numbers
numbers.py     what training knows about a column of numbers: mean, spread and range
bins.py        its frequent values, and where its bins end
blocks.py      from codes and numbers to features, block by block, and from all blocks to the rows that the loop reads
hashed.py      values and products of which no name is remembered
variants.py    the same map with other features: without bins, with products, with values that came later
as_trained.py  tables for a map that is trained: what they lack, and the types that training had
on_disk.py     tables that are larger than memory
saved.py       a map again, from a model file
"""

from __future__ import annotations

from rosenblatt.features.table.table_map import TableMap, as_frame

__all__ = ["TableMap", "as_frame"]

"""CSV, TSV and tables with blanks between the columns.

Three readers, each for what the one before refuses. Large plain tables are coded while they are read; on the command line
tables of texts are, too, and then need no polars: coded.py. polars reads the others; then numpy counts delimiters and line
ends, and if the counts do not agree with the frame, or if polars refused, records.py reads the same bytes again with care:
it accepts what polars does not (quotes behind blanks, quotes inside words) and names the line of what cannot be read at all.
"""

"""More than one process, and more than one machine: shards of the rows are learned from side by side, and mixed."""

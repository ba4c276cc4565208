"""The engine: THE loop and its rules, and the memory that it reads and moves.

formulas.py is the step sizes and core.py the loop, plain Python that is also compiled (compiled.py picks the binary where
there is one);
entries.py has what is asked of sparse rows beside the loop, in numpy and (entries.h) in C;
rules.py names the learners' parameters; rows.py is what the loop reads, weights.py what it moves, order.py in which order.
"""

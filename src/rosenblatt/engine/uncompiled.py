"""What core.py and vote_counter.py use of the package cython, for where they run uncompiled and it is not installed."""

from contextlib import nullcontext

compiled = False
nogil = nullcontext()

"""What core.py and its like use of the package cython, for where they run uncompiled and it is not installed."""

from contextlib import nullcontext

compiled = False
nogil = nullcontext()

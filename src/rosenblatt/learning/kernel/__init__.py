"""Kernel perceptrons: the kernels, sums of them, training in blocks, and prediction."""

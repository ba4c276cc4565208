"""Learning: examples, the epochs over them, what they give, and the model file."""

"""What people ask of data and models: facts, explanations, measures, comparisons, curves."""

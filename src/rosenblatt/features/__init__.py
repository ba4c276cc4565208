"""From rows as people have them to vectors: maps that are learned once and then belong to the model."""

"""Makes the families of vectors that are expanded from techniques: ``python -m capfuzz.attacks.expansion``."""

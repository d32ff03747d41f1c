"""Writes the committed vectors. What is wrong in a negative vector is wrong on purpose and named in `why`."""

"""Draws figures: each function takes what `results` has read and returns a matplotlib figure."""

"""Hypothesis strategies built on the techniques."""

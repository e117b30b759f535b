"""Techniques: named ways to spell or arrange hostile input, as pure functions."""

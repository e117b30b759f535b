"""What hostile input is, and what must hold whatever the input."""

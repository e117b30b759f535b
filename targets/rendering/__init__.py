"""What a grant becomes for a system: its own configuration, or the reason why it has none."""

"""Reports: each turns the outcome of a campaign into one format."""

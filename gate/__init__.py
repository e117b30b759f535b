"""What a person or CI runs: the campaign, the command line, the reports."""

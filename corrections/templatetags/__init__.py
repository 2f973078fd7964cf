"""Template tags of reports and decisions."""

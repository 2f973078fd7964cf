"""Template tags of the archive."""

"""The archive out again, in the form it came in."""

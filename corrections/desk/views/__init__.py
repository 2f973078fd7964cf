"""Views of the desk: the queue and spam, a case, proposals, decisions, and the reader's name."""

"""What the pages of the log say: documented dataclasses like those of `archive.pages`, made in few queries."""

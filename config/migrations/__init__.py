"""What the database needs that belongs to no app of its own."""

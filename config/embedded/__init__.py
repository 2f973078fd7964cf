"""A private PostgreSQL for development, tests and first steps; ``DATABASE_URL`` takes its place.

``server`` finds, makes, starts and stops it; ``base`` is the database backend that starts it when nothing
answers.
"""

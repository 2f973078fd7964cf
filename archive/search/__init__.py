"""Search over all kinds of records, and over the names of authors.

`query` reads what was typed, `addresses` recognises identifiers that lead straight to a record, `vocabulary` mends and
completes words, `finding` asks the index, `indexing` makes it, `excerpts` marks what matched.
"""

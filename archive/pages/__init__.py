"""What pages say: one documented dataclass per page, built from the database. No request and no HTML in here.

`base` holds what all pages share; each other module has the dataclasses of one page, and a `build()` that makes it
in a fixed number of queries. The HTML page and its `.json` twin are two faces of the same instance.
"""

"""Views, one module per family: find it or answer 404 or 410, build the page, respond.

`records` has the pages of one record, `names` those of names that records share, `lists` those of many, `site` the
rest.
"""

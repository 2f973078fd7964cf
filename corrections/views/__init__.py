"""Views of the public: `report` takes reports in, `status` is the reporter's own page, `log` shows what was decided."""

"""The review desk inside the admin: the queue of cases, a case, its decision, proposals and reverts."""

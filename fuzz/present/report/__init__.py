"""The report: a run as one page that needs no network. Assembling the data is apart from rendering it."""

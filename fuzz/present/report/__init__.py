"""The report: a run as one page that needs no network. Assembling the data is apart from rendering it."""

from wgsl_fuzz.fuzz.present.report.page import report_page

__all__ = ["report_page"]

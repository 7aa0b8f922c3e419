"""Browsers: those of this machine, and any one that opens a page."""

from functools import partial

from wgsl_fuzz.oracle.targets.browsers.local import KINDS, browser_infos, open_browser
from wgsl_fuzz.oracle.targets.browsers.served import PREFIX, open_served, served_infos
from wgsl_fuzz.oracle.targets.protocol import Family

FAMILIES = (
    *(
        Family(kind, open_browser, partial(browser_infos, kind), title=kind.capitalize(), own="a browser of yours")
        for kind in KINDS
    ),
    Family(PREFIX, open_served, served_infos, title="Browser"),
)

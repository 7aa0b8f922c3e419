"""Browsers: those of this machine, any one that opens a page, and what one said there."""

from functools import partial

from wgsl_fuzz.oracle.targets.browsers import saved
from wgsl_fuzz.oracle.targets.browsers.local import KINDS, browser_infos, open_browser
from wgsl_fuzz.oracle.targets.browsers.served import PREFIX, open_served, served_infos
from wgsl_fuzz.oracle.targets.protocol import TargetFamily

FAMILIES = (
    *(
        TargetFamily(
            kind, open_browser, partial(browser_infos, kind), title=kind.capitalize(), own="a browser of yours"
        )
        for kind in KINDS
    ),
    TargetFamily(PREFIX, open_served, served_infos, title="Browser"),
    TargetFamily(saved.PREFIX, saved.open_saved, lambda: [saved.SAVED_INFO]),
)

"""Browsers as targets, through one page: it fetches batches of texts and posts what the browser says of them.

`hub` hands batches to pages, `page_server` speaks HTTP with them, and `page.html` is the page. `local` opens `chromium`
and `firefox`: headless, each with a hub of its own. `served` opens `browser`: the pages of a running `wgsl-fuzz serve`.
"""

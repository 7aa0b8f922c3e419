"""The page that needs no server: `answers` runs in it, in a worker; `site` writes its files.

Beside them are its page, style sheet and scripts, and the lock file of the npm packages that it runs on.
"""

"""Commands about runs: the campaign, and what reads its folder."""

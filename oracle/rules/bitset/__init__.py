"""The analysis of section 4.2 on integer bit sets: verdicts and what decides them, and no graph to explain them."""

"""The command line: one file a command, and the options, signals and live screens that they share."""

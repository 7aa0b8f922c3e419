"""Child processes in which compilers run, and the commands that one starts for each text."""

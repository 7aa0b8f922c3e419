"""`python -m wgsl_fuzz`, and the command `wgsl-fuzz`."""

import signal


def main() -> None:
    """Runs the command line. Ctrl-C ends the process without a word while the program is still being imported."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from wgsl_fuzz.fuzz.cli.main import main as command_line

    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, before)
    command_line()


if __name__ == "__main__":
    main()

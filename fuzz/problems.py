"""Problems with the request or the set-up: one clear line and exit status 2."""

import click


class Problem(click.ClickException):
    """Shown as one line on standard error; exit status 2."""

    exit_code = 2

    def show(self, file: object = None) -> None:  # noqa: ARG002
        """Prints the line."""
        click.echo(f"wgsl-fuzz: {self.message}", err=True)

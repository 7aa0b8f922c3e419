"""Options of version 0.1 that went, and what does the same: one table, for errors of usage."""

_BEFORE = {
    "--as": "-t NAME@VERSION=PATH, such as -t tint@main=tint:out/tint",
    "--seconds": "--minutes, such as --minutes 0.5; reduce writes the best so far after Ctrl-C",
    "--known": "--known-file FILE; of triage --mark-known BUCKET URL; replay reads DIR/known.toml",
    "--execute-on": "--target wgpu",
    "--profile": "--language",
    "--uniform": "--require uniform, which all shaders are then",
    "--non-uniform": "--require non-uniform, which all shaders are then",
    "--spell": "--as-drawn: one shader in eight is in drawn surface forms",
    "--json": "--format json",
    "--html": "--format html -o FILE",
    "--svg": "--format svg -o FILE",
    "--dot": "--format dot",
    "--markdown": "--format markdown",
    "--wgsl": "--format wgsl",
    "--plain": "--format text",
    "--count": "--format counts",
    "--export": "--format FORM -o FILE; of triage --show BUCKET --format FORM",
    "--undrop": "--drop BUCKET ''",
    "--note": "known.toml, which is a text",
    "--coverage": "the command coverage FILE",
    "--all": "the name all",
    "--iterations": "--execute TIMES",
}
_GONE = (
    "--statements --functions --arrays --threads --racy --no-racy --main-returns --spelling --no-spelling "
    "--states --fewer-orders --allow-drift --runs --steps --explore --no-explore --semantics --verbose --first --seed"
)


def instead_of(option: str) -> str:
    """What takes the place of an option that a command had, for people; nothing if it never was one."""
    if option in _BEFORE:
        return f"there is no {option} any more; instead: {_BEFORE[option]}"
    return f"there is no {option} any more" if option in _GONE.split() else ""

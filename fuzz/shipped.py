"""Paths of data files that ship with the package."""

from pathlib import Path


def corpus_folder() -> Path:
    """The corpus that ships with the project: in the wheel, or beside the packages in a checkout."""
    here = Path(__file__).resolve().parents[1]
    return next((p for p in (here / "_corpus", here / "corpus") if p.is_dir()), here / "_corpus")


def is_installed(folder: Path) -> bool:
    """Whether a folder is the corpus of an installation: an update replaces it, so nobody should change it."""
    ours = corpus_folder().resolve()
    return folder.resolve() == ours and not (ours.parent / "pyproject.toml").is_file()


def wgsl_folder() -> Path:
    """Shaders of the whole of WGSL: `pairs` for rows of the rules, and `applications`. They are no cases to replay."""
    return corpus_folder() / "wgsl"

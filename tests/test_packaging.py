"""Every way to install wgsl-fuzz gives the same program: wheels, pip, a clone without symbolic links."""

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import orjson
import pytest

import wgsl_fuzz

ROOT = Path(__file__).resolve().parent.parent
CAMPAIGN = ("--target", "rules:wgsl-2023-01-28", "--programs", "256", "--seed", "1", "--jobs", "2")
REPOSITORY = (ROOT / ".git").exists()


def called(*arguments: str, cwd: Path, environment: dict[str, str] | None = None) -> str:
    """What a command prints. It must end with status 0."""
    done = subprocess.run(
        arguments, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def sources() -> dict[str, str]:
    """The folders of the repository that are installed, and where."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, str] = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]
    return found


def expected() -> set[str]:
    """The files that git has of the package, as they are installed."""
    paths = called("git", "ls-files", "-z", "--", "wgsl_fuzz", *sources(), cwd=ROOT).split("\0")[:-1]
    installed = {"wgsl_fuzz": "wgsl_fuzz", **sources()}
    return {"/".join([installed[head], rest]) for head, _, rest in (path.partition("/") for path in paths)}


def test_the_version_is_the_packages() -> None:
    said = called(sys.executable, "-m", "wgsl_fuzz", "--version", cwd=ROOT)
    assert said.split() == ["wgsl-fuzz,", "version", wgsl_fuzz.__version__]
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {wgsl_fuzz.__version__}" in cited


# ------------------------------------------------------------------------------------------- every way to install


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What git has of this checkout, in a clone whose file system knows no links."""
    folder = tmp_path_factory.mktemp("clone") / "wgsl-fuzz"
    called("git", "-c", "core.symlinks=false", "clone", "-q", str(ROOT), str(folder), cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def wheels(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wheel that is built from the checkout, and one that is built from the sdist."""
    pytest.importorskip("build")
    out = tmp_path_factory.mktemp("dist")
    for kind, options in {"checkout": ["--wheel"], "sdist": []}.items():
        called(
            sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", str(out / kind), str(clone), cwd=out
        )
    return {kind: next((out / kind).glob("*.whl")) for kind in ("checkout", "sdist")}


@pytest.fixture
def python(tmp_path: Path) -> str:
    """The interpreter of a new environment that has our dependencies."""
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    packages = next(environment.rglob("site-packages"))
    # Found last: after what is installed here, an editable install included.
    (packages / "zz_dependencies.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path))
    return str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def outcome(python: str, imported_from: Path, folder: Path) -> object:
    """What a short campaign finds, started in a folder. Its program must be imported from the place that is given."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    code = "import wgsl_fuzz.fuzz; print(wgsl_fuzz.fuzz.__file__)"
    where = Path(called(python, "-c", code, cwd=folder, environment=environment).strip())
    assert where.is_relative_to(imported_from.resolve())
    run = folder.parent / "run"
    done = subprocess.run(
        [python, "-m", "wgsl_fuzz", *CAMPAIGN, "--out", str(run)], cwd=folder, env=environment, check=False
    )
    assert done.returncode == 1
    record = orjson.loads((run / "run.json").read_bytes())
    return record["programs"], record["buckets"]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> object:
    """What that campaign finds with the program that is tested."""
    folder = tmp_path_factory.mktemp("usual") / "here"
    folder.mkdir()
    return outcome(sys.executable, Path(wgsl_fuzz.__file__).parents[1], folder)


def install(python: str, *what: str) -> None:
    """Installs with pip, without dependencies and the network."""
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    called(python, "-m", "pip", "install", *options, *what, cwd=ROOT.parent)


@pytest.mark.full
@pytest.mark.skipif(not REPOSITORY, reason="clones the repository")
@pytest.mark.parametrize("way", ["wheel of the checkout", "wheel of the sdist", "pip install .", "pip install -e ."])
def test_installed_in_any_way_it_finds_the_same(
    way: str, python: str, clone: Path, wheels: dict[str, Path], usual: object, tmp_path: Path
) -> None:
    match way.split()[-1]:
        case "checkout" | "sdist" as origin:
            install(python, str(wheels[origin]))
        case _:
            install(python, *way.split()[2:-1], str(clone))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert outcome(python, clone if "-e" in way else tmp_path / "venv", elsewhere) == usual


@pytest.mark.full
@pytest.mark.skipif(not REPOSITORY, reason="clones the repository")
def test_a_clone_without_links_runs_as_it_is(clone: Path, python: str, usual: object) -> None:
    assert outcome(python, clone, clone) == usual


@pytest.mark.full
@pytest.mark.skipif(not REPOSITORY, reason="asks git")
def test_both_wheels_hold_what_git_has(wheels: dict[str, Path]) -> None:
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            names = {name for name in archive.namelist() if not name.startswith(f"wgsl_fuzz-{wgsl_fuzz.__version__}")}
        assert names == expected()

"""The command `certify`: what a compiler was tried on and where it differs, as one page and one JSON.

A certificate is a list of parts. Each does what a command does, which the certificate names, and writes into its
folder; the page and the JSON say what they found together.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import join
from typing import Any

import click
import orjson

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz import today
from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.cases.plan import Budget, Plan
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.rules.conformance import tables_of
from wgsl_fuzz.fuzz.cli.runs import campaign as c
from wgsl_fuzz.fuzz.cli.runs import replay as r
from wgsl_fuzz.fuzz.command_line import carry_out
from wgsl_fuzz.fuzz.conformance.confusion import branches_behind
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, load
from wgsl_fuzz.fuzz.files import make_folder, read_text
from wgsl_fuzz.fuzz.findings.directory import write_atomically
from wgsl_fuzz.fuzz.findings.known import KnownBuckets, check_build, known_or_shipped
from wgsl_fuzz.fuzz.findings.loading import load_run, pending_of, read_run
from wgsl_fuzz.fuzz.findings.schema import read
from wgsl_fuzz.fuzz.findings.state import STATE
from wgsl_fuzz.fuzz.judging.answers import distinct, opened
from wgsl_fuzz.fuzz.judging.certainty import Certainty, deciding
from wgsl_fuzz.fuzz.judging.departures import are_known, base_of
from wgsl_fuzz.fuzz.judging.kinds import UNEXPLAINED, VERDICTS_DIFFER, BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.judging.without_reference import signature
from wgsl_fuzz.fuzz.output import columns, echo, notice, printable
from wgsl_fuzz.fuzz.present import conformance_documents
from wgsl_fuzz.fuzz.present.pages import highlighted, rendered
from wgsl_fuzz.fuzz.present.triage_text import titles
from wgsl_fuzz.fuzz.present.wording import count, written_date
from wgsl_fuzz.fuzz.problems import INTERRUPTED, PROBLEM, Problem
from wgsl_fuzz.fuzz.reduction.beside import words_of, words_that_name
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.fuzz.regression.replay import ReplayStatus, check_like, load_texts
from wgsl_fuzz.fuzz.triage.merging import merge
from wgsl_fuzz.fuzz.triage.triage import Bucket, Triage, issue_of, says_too_little, sightings
from wgsl_fuzz.oracle.rules.analyses import is_ours
from wgsl_fuzz.oracle.targets.cache import pinned_digest
from wgsl_fuzz.oracle.targets.features import LACKS
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES, ENUMERATION_VERSION, Family
from wgsl_fuzz.wgsl.problems import WgslError

CONFORMANCE, CORPUS, CAMPAIGN = "conformance", "corpus", "campaign"
"""The parts that are always there; the others, `small-N`, are enumerations up to size N."""
ALL, PAGE, JSON = "all", "certificate.html", "certificate.json"
"""In the folder: the history of all runs, and what is handed over."""
NEW, KNOWN = "new", "known"
FOUND = 1
FAMILY, DRAWN = {True: 4_000, False: 70_000}, {True: 5_000, False: 200_000}
"""Quick or not: how many shaders of a family are tried, but for its smallest size, and how many are drawn."""
VERSIONS = {"version": __version__, "generator": GENERATOR_VERSION, "enumeration": ENUMERATION_VERSION}
LEVEL = Level.WGSL
LARGEST = 8
"""No family is gone through beyond this size."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A part: the command that does the same, without where it writes, and how many shaders it is about.

    A campaign has a plan, and a folder of its own; another part has a file.
    """

    name: str
    covers: str
    words: tuple[str, ...]
    shaders: int
    plan: Plan | None = None

    def tried(self, folder: Path) -> int:
        """How many of the shaders were tried. Raises Problem."""
        if self.plan is None:
            return self.shaders if (folder / f"{self.name}.json").exists() else 0
        return read_run(folder / self.name).programs if (folder / self.name / STATE).exists() else 0

    def is_done(self, folder: Path) -> bool:
        """Whether nothing of it is left to do. Raises Problem."""
        return self.tried(folder) >= self.shaders and (self.plan is None or not pending_of(folder / self.name))


@click.command(cls=o.LargeCommand)
@click.option("--quick", is_flag=True, help="Less of everything: some minutes on two cores.")
@o.TARGET
@o.SEED
@o.PROGRAMS
@o.NEW_FOLDER
@o.JOBS
@o.TIMEOUT_OPTION
@o.LIKE
@o.KNOWN_FILE
@click.pass_context
def certify(
    context: click.Context, quick: bool, names: tuple[str, ...], seed: int, programs: int | None, folder: Path
) -> None:
    """Try one target on everything, and write a certificate.

    It says what was tried, completely or by sample: two shaders for each branch of the rules, the corpus, every shader
    of all families of `enumerate` up to a size, and a campaign of --programs shaders by --seed (0). And what differs,
    each difference by its bucket; the hash of the binary; and the commands that repeat each part.

    \b
        wgsl-fuzz certify --target tint:out/tint --like tint@0.6.2 --out certificate

    The folder has certificate.html and certificate.json, and a run for each part that triage and report read; `all` is
    their history. The same call goes on where it was interrupted.

    Exit status: 0 all that differs is known, 1 something is new, 2 the request or the set-up is at fault.
    """
    if len(set(names)) != 1:
        raise Problem("a certificate is about one --target")
    known: Path | None = context.meta["known_file"]
    spec = f"rules:{names[0]}" if is_ours(names[0]) else names[0]
    head = {**_target(context, spec), **VERSIONS, "seed": seed}
    head |= {"programs": programs or DRAWN[quick], "quick": quick}
    target, like = head["target"], head["like"]
    issues = known_or_shipped(known, folder / ALL, like=like or target)
    date = _begin(folder, head)
    options = ("--target", spec, *(("--like", like) if like else ()), *(("--known-file", str(known)) if known else ()))
    drawn = Plan(head["seed"], language=c.language_for([spec]))
    parts = [*_parts(options, drawn, head["programs"], FAMILY[quick])]
    jobs, timeout = context.meta["jobs"], context.meta["timeout"]
    wanted = c.CampaignRequest((spec,), drawn, folder, jobs, known, like, timeout=timeout)
    status = _carry_out(parts, wanted)
    told = (*options, *["--quick"] * quick, "--seed", str(head["seed"]), "--programs", str(head["programs"]))
    again = join(["wgsl-fuzz", "certify", *told, "--out", str(folder)])
    certificate = {**head, "date": date, "finished": not status, "command": again}
    differences = _differences(parts, folder, issues, known, like)
    certificate |= {"parts": [_tried(part, folder, differences) for part in parts], "differences": differences}
    write_atomically(folder / JSON, orjson.dumps(certificate, option=orjson.OPT_INDENT_2))
    filters = {"highlighted": highlighted, "written": written_date}
    write_atomically(folder / PAGE, rendered("certificate.html", filters, c=certificate).encode())
    new = _show(certificate)
    echo(f"written: {folder / PAGE}, {folder / JSON}")
    if status:
        notice(f"not finished; to go on: {again}")
    context.exit(PROBLEM if status == PROBLEM else FOUND if new else status)


def _target(context: click.Context, spec: str) -> dict[str, Any]:
    """The target that is asked for, and the build that it is like. Raises Problem."""
    with opened([spec], notice, context.meta["timeout"]) as specs:
        (target,) = distinct(specs)
    name, like = target.name, o.like_of(context, [spec], check_build)
    binary = pinned_digest(name) or "".join(re.findall(r"sha256 \w+", target.origin)) or None
    return {"target": name, "origin": target.origin, "binary": binary, "like": like}


def _begin(folder: Path, head: Mapping[str, Any]) -> str:
    """Makes the folder; the day on which the certificate was begun. Raises Problem for one of something else."""
    make_folder(folder)
    path, date = folder / JSON, today()
    if not any(folder.iterdir()):
        write_atomically(path, orjson.dumps({**head, "date": date}))
    if not (before := _read(path)):
        raise Problem(f"{folder} is no certificate: name another folder with --out")
    for name, value in head.items():
        if before.get(name) != value:
            raise Problem(f"{folder} is a certificate of {name} {before.get(name)}, not {value}: name another folder")
    return str(before["date"])


def _read(path: Path) -> dict[str, Any]:
    """An object that was written; empty if there is none. Raises Problem."""
    try:
        return dict(orjson.loads(read_text(path))) if path.exists() else {}
    except (TypeError, ValueError) as error:
        raise Problem(f"{path} is damaged: {error}") from error


def _parts(options: Sequence[str], drawn: Plan, programs: int, family_limit: int) -> Iterator[Trial]:
    """What is tried, in this order."""
    rows = len(SIDES) * len(load(LEVEL).rows)
    level = ("--level", LEVEL.value, "--format", "json")
    yield Trial(CONFORMANCE, "each branch of section 15.2, by two shaders", ("conformance", *options, *level), rows)
    yield Trial(CORPUS, "the corpus of known faults", ("replay", *options, "--format", "json"), len(load_cases()))
    sizes: dict[int, list[Family[Any]]] = {}
    for family in ALL_FAMILIES.values():
        sizes.setdefault(size_within(family, family_limit), []).append(family)
    for size, families in sorted(sizes.items()):
        which = [word for family in families for word in ("--family", family.name)]
        words = ("enumerate", *which, "--max-statements", str(size), *options)
        covers = f"every shader of {', '.join(family.name for family in families)} up to size {size}"
        course = ShaderSequence(families, size)
        yield Trial(f"small-{size}", covers, words, course.count, course.plan())
    words = (*options, "--seed", str(drawn.seed), "--programs", str(programs))
    yield Trial(CAMPAIGN, f"shaders drawn by seed {drawn.seed}", words, programs, drawn)


def size_within(family: Family[Any], most: int) -> int:
    """The size up to which a family is gone through: one that adds shaders, and no smaller one has as many."""
    counts = [family.up_to(0).count]
    while len(counts) <= LARGEST and (counts[-1] <= 1 or family.up_to(len(counts)).count <= most):
        counts.append(family.up_to(len(counts)).count)
    return counts.index(counts[-1])


def _carry_out(parts: Sequence[Trial], wanted: c.CampaignRequest) -> int:
    """Does what is left of each part; the exit status of the first that was stopped, else 0."""
    for number, part in enumerate(parts, 1):
        if part.is_done(wanted.out):
            continue
        notice(f"part {number} of {len(parts)}: {join(['wgsl-fuzz', *part.words])}")
        status = carry_out(partial(_try, part, wanted))
        if status >= PROBLEM or not part.is_done(wanted.out):
            return PROBLEM if status == PROBLEM else INTERRUPTED
    return 0


def _try(part: Trial, wanted: c.CampaignRequest) -> int:
    """Does what is left of a part, with what is `wanted` of all; the exit status. Raises Problem."""
    path, names, like, timeout = wanted.out / part.name, wanted.names, wanted.like, wanted.timeout
    if part.plan is not None and (path / STATE).exists():
        request = c.resumed(path, names, wanted.jobs, timeout, known=wanted.known)
        return c.campaign(request, request.rest(), notice)
    if part.plan is not None:
        return c.campaign(replace(wanted, plan=part.plan, out=path), Budget(programs=part.shaders), notice)
    known = known_or_shipped(wanted.known, wanted.out / ALL, like=like)
    if part.name == CONFORMANCE:
        rows = load(LEVEL)
        written = conformance_documents.as_json(rows, tables_of(names, rows, timeout, known))
    else:
        begun, cases = time.monotonic(), load_texts(None)
        check_like(like, cases)
        done = r.replayed(cases, names, like, timeout, known)
        if done.unreadable:
            raise Problem(done.unreadable_lines[0])
        written = r.as_json(done, time.monotonic() - begun)
    write_atomically(path.with_suffix(".json"), printable(o.as_json(written)).encode())
    return 0


def _differences(
    parts: Sequence[Trial], folder: Path, issues: KnownBuckets, known: Path | None, like: str | None
) -> list[dict[str, Any]]:
    """What differs, by bucket: the new first, each by severity. Raises Problem."""
    found: list[_Difference] = []
    by_key: dict[BucketKey, _Difference] = {}
    if runs := [folder / part.name for part in parts if part.plan is not None and part.tried(folder)]:
        merge(runs, folder / ALL)
        triage = Triage.of(load_run(folder / ALL), known, like)
        for bucket in reversed(triage.buckets):  # of two with one raw key, the new one counts
            met = Counter({one.run.name: one.count for one in sightings(triage.run, bucket)})
            shader = None if bucket.representative is None else bucket.representative.text
            found.append((bucket, _told(bucket, triage.state(bucket), shader, met)))
            by_key |= dict.fromkeys((*(key for key in bucket.raw if not says_too_little(key)), bucket.key), found[-1])
    for part, key, text, fails, branches in (*_cases(folder), *_rows(folder)):
        whole = replace(key, kind=None) if key.cause.explains else key
        if (one := by_key.get(key) or by_key.get(whole) or _explaining(key, text, found)) is None:
            bucket = Bucket(whole, key.kind or Kind.TOO_LENIENT, None, (), 0, (key,))
            bucket = replace(bucket, issue=issue_of(bucket, issues))
            found.append(one := (bucket, _told(bucket, KNOWN, text, Counter())))
            by_key |= dict.fromkeys((key, whole), one)
        told = one[1]
        told["count"] += 1
        told["parts"][part] += 1
        issue = issue_of(replace(one[0], findings=(), raw=(key,)), issues)
        issue = issue or issues.issue_of(key, causes=[(name,) for name in branches])
        if fails and issue is None:
            told |= {"state": NEW, "issue": None}
        elif told["state"] == KNOWN:
            told["issue"] = told["issue"] or issue
    kinds = [kind.value for kind in Kind]
    return sorted((d for _, d in found), key=lambda d: (d["state"] != NEW, kinds.index(d["kind"]), -d["count"]))


_Difference = tuple[Bucket, dict[str, Any]]


def _explaining(key: BucketKey, text: str, differences: Sequence[_Difference]) -> _Difference | None:
    """The first difference of runs that explains a wrong verdict: its branch gives it, or a text has its words."""
    if key.kind not in VERDICTS_DIFFER or are_known(key.target, key.cause.explains):
        return None
    case, base = read_case(text), base_of(key.target)
    opposite = Verdict.REJECTS if case.verdict is Verdict.ACCEPTS else Verdict.ACCEPTS
    sure, able = {one.branch for one, _ in differences if one.branch and one.certainty is Certainty.FITS}, set[str]()
    with suppress(WgslError):  # what is known of the target may refuse the text
        able = deciding(case, sure, opposite, base)
    for one in differences:
        left = words_that_name(one[0].key)
        same_side = (key.kind is Kind.TOO_STRICT) is (one[0].kind is Kind.TOO_STRICT)
        is_beside = one[0].is_no_rule and same_side and left and left <= words_of(text)
        if is_beside or one[0].branch in able:
            return one
    return None


def _told(bucket: Bucket, state: str, shader: str | None, parts: Counter[str]) -> dict[str, Any]:
    told = {"bucket": bucket.name, "kind": bucket.kind.value, "title": titles([bucket])[0], "state": state}
    return told | {"issue": bucket.issue, "count": bucket.count, "parts": parts, "shader": shader}


Seen = tuple[str, BucketKey, str, bool, Sequence[str]]
"""A wrong answer to a shader of a part: its raw bucket, the text, whether it fails unless the bucket is known, and
branches that explain it."""


def _rows(folder: Path) -> Iterator[Seen]:
    """The wrong answers to rows; what a target says it lacks fails nothing, as in campaigns.

    What no known departure explains has the row's branch as its cause, as buckets of runs have.
    """
    rows = {row.name: row for row in load(LEVEL).rows}
    for table in _read(folder / f"{CONFORMANCE}.json").get("targets", []):
        wrong = [(one, side, one["answers"][side]) for one in table["results"] for side in one["wrong"]]
        analysed = wrong if table["analysis"] else []
        behind = branches_behind(LEVEL, {(one["row"], side): Verdict(said) for one, side, said in analysed})
        for result, side, said in wrong:
            row, keys = rows[result["row"]], result["buckets"]
            key = read(BucketKey, keys[side]) if side in keys else _no_finding(table, result, said)
            key = replace(key, cause=Cause((row.name,))) if key.cause == UNEXPLAINED else key
            is_open = key.kind in VERDICTS_DIFFER and not are_known(key.target, key.cause.explains)
            causes = behind.get((row.name, side), ()) if is_open else ()
            yield CONFORMANCE, key, row.text(side), said != Verdict.UNSUPPORTED.value, causes


def _no_finding(table: Mapping[str, Any], result: Mapping[str, Any], said: str) -> BucketKey:
    """A key for a wrong answer that is no finding of a campaign: to what is unsupported, or invalid itself."""
    if not table["analysis"] and said == Verdict.ACCEPTS.value:
        return BucketKey.without_analysis(table["target"])
    words = result["says"] or result["status"]
    told = words.partition(": ")[0] if words.startswith(LACKS) else signature(words)
    return BucketKey(table["target"], Kind.CRASH if said == Verdict.CRASHED.value else Kind.INVALID, Cause(told=told))


def _cases(folder: Path) -> Iterator[Seen]:
    """The wrong answers to cases of the corpus; those that are recorded fail nothing."""
    texts = {case.name: case.text for case in load_cases()}
    for one in _read(folder / f"{CORPUS}.json").get("results", []):
        fails = ReplayStatus(one["word"]).fails
        if fails or one["kind"]:
            other = BucketKey(one["oracle"], Kind.REFERENCE, Cause(told=f"{one['word']}: {one['says']}"))
            yield CORPUS, read(BucketKey, one["bucket"]) if one["bucket"] else other, texts[one["case"]], fails, ()


def _tried(part: Trial, folder: Path, differences: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How much of a part was tried, and how many wrong answers and buckets there are."""
    mine = [one for one in differences if part.name in one["parts"]]
    tried = part.tried(folder)
    wrong = sum(read_run(folder / part.name).findings.values()) if part.plan is not None and tried else 0
    wrong = wrong or sum(one["parts"][part.name] for one in mine)
    new = sum(one["state"] == NEW for one in mine)
    told: dict[str, Any] = {"part": part.name, "covers": part.covers, "command": join(["wgsl-fuzz", *part.words])}
    told |= {"sample": part.name == CAMPAIGN, "finished": part.is_done(folder)}
    return told | {"shaders": tried, "of": part.shaders, "differ": wrong, "buckets": len(mine), "new buckets": new}


def _show(certificate: Mapping[str, Any]) -> int:
    """Shows a line for each part, and the buckets that are new; how many these are."""
    rows = [["part", "shaders", "differ", "buckets", "new"]]
    for one in certificate["parts"]:
        rows.append([one["part"], *(f"{one[name]:,}" for name in ("shaders", "differ", "buckets", "new buckets"))])
    new = [one for one in certificate["differences"] if one["state"] == NEW]
    for line in (*columns(rows, numbers=4), *(f"new: {one['kind']} {one['title']}" for one in new)):
        echo(line)
    echo(f"{count(len(certificate['differences']), 'difference')}, {len(new):,} new")
    return len(new)

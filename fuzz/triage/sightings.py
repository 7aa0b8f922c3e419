"""In which runs of a history a bucket was met."""

from dataclasses import dataclass

from wgsl_fuzz.fuzz.findings.history import class_of
from wgsl_fuzz.fuzz.findings.history_records import MergedRun
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.triage.triage import Bucket


@dataclass(frozen=True, slots=True)
class Sighting:
    """A run of a history that met a bucket."""

    run: MergedRun
    count: int
    """How many findings of the bucket it saved; of a bucket of which nothing is saved, how many it counted."""
    shader: int | None
    """The place of the first one in the run."""
    target: str

    @property
    def build(self) -> str:
        """The origin of the target that it was met in."""
        return self.run.targets.get(self.target, "")

    def __str__(self) -> str:
        where = "" if self.shader is None else f", shader {self.shader} of seed {self.run.seed}"
        return f"{self.run.date or 'no date'}  {self.run.name}: {self.count:,}{where}  ({self.build or self.target})"


def sightings(run: StoredRun, bucket: Bucket) -> list[Sighting]:
    """The runs that met a bucket, the oldest first; empty for what is one run. Raises Problem."""
    classes = {class_of(found.record) for found in bucket.findings}
    return [Sighting(one, n, shader, bucket.target) for one, n, shader in run.met(classes, bucket.raw)]

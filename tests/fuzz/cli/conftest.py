"""What tests of commands share."""

from itertools import islice

import pytest

from wgsl_fuzz.fuzz.regression.diff import known_texts


@pytest.fixture
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """To `diff`, the first texts that ship will do."""
    texts = list(islice(known_texts(), 120))
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.diff.known_texts", lambda: iter(texts))
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.diff.load_applications", dict)

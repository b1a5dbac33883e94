"""However a Jev-compatible service is wrong, every request is answered by a target.

`jevcompat`'s reference server breaks one requirement of the specification at a time. Some of that
Signalbox has to notice, and does without a decision; the rest does not concern what it asks for.
"""

from __future__ import annotations

import pytest
from jevcompat.mock import FAULTS, MockConfig, Running

from decided import CRITERIA, Route
from signalbox import Signalbox

KEY = "jev-key"

# What makes an answer to our one choice unusable, and a part of the reason that is kept for it.
NOTICED = {
    "wrong-route": "answered 404",
    "xssi-200": "not Jev's JSON",
    "nan": "not Jev's JSON",
    "auth-x-api-key": "does not accept the credential (403)",
    "reject-jev-latest": "answered 404",
    "choice-no-confidence": "without type, probabilities and confidence",
    "confidence-over": "confidence outside of 0 to 1",
}
# With these the service refuses a credential that is wrong in a way of its own.
REFUSALS = ["auth-plain", "auth-invalid-403-text", "text-errors", "error-flat", "validation-400"]


@pytest.mark.parametrize("fault", FAULTS)
def test_every_request_is_answered(signalbox: Signalbox, fault: str) -> None:
    config = MockConfig(
        key=None if fault == "auth-rejects-header" else KEY, faults=frozenset({fault})
    )
    with Running(config) as jev:
        route = Route(signalbox, f"with-{fault}", jev.url, KEY)
        noticed = NOTICED.get(fault)
        if fault == "auth-rejects-header":
            noticed = "does not accept the credential (401)"
        explained = route.explain()
        if noticed is None:
            assert explained["abstained"] == {}
            assert set(explained["decision"]["probabilities"]) == set(CRITERIA)
        else:
            assert noticed in explained["abstained"]["decision_service"]
        answers = [route.ask() for _ in range(5)]
        assert all(target.removeprefix("local/") in CRITERIA for target, _ in answers)
        if noticed is None:
            best = explained["ranking"][0]["target"]
            assert {target for target, _ in answers} == {best}
        else:
            # After three failures nobody is asked any more, and nobody waits.
            assert "left alone" in route.explain()["abstained"]["decision_service"]
            assert max(seconds for _, seconds in answers[3:]) < 1


@pytest.mark.parametrize("fault", REFUSALS)
def test_a_wrong_credential_costs_the_decision_and_nothing_else(
    signalbox: Signalbox, fault: str
) -> None:
    with Running(MockConfig(key=KEY, faults=frozenset({fault}))) as jev:
        route = Route(signalbox, f"refused-{fault}", jev.url, "another-key")
        reason = route.explain()["abstained"]["decision_service"]
        assert "does not accept the credential (401)" in reason
        assert "another-key" not in reason
        for _ in range(5):
            route.ask()


def test_a_busy_service_is_still_asked_with_its_only_credential(signalbox: Signalbox) -> None:
    with Running(MockConfig(key=KEY, busy_every=2)) as jev:
        route = Route(signalbox, "busy", jev.url, KEY)
        for _ in range(6):
            route.ask()
        assert jev.server.RequestHandlerClass.cfg.requests >= 6

"""Whether the statuses that the package reports are true, by the independent checker."""

from oracle import decided, statuses

DERIVED = {"gap", "converged"}  # by the package from the true values, by the checker from the two bounds
OPEN_IF_EXACT = {"kind", "coefficients"}  # a verdict that is not decided, and what follows from claims that are false


def judge(case, exact, truth=None):
    """Return what is wrong with the result of ``verify``, as text; and the statuses.

    A claim that is false must not hold, and one that is true must not fail. A verification that is true has no false
    claim, whatever the claims are called.
    """
    truth = statuses(decided(case.certificate, case.X, case.y, case.weights)) if truth is None else truth
    found = case.verify(exact)
    wrong = [
        f"{check.claim} {check.status}, but it is {'false' if check.status == 'holds' else 'true'}: {check.detail}"
        for check in found.checks
        if {check.status, truth.get(check.claim)} == {"holds", "fails"} and check.claim not in DERIVED
    ]
    if found and "fails" in truth.values():
        wrong.append(f"verified, but {[claim for claim, status in truth.items() if status == 'fails']} are false")
    # The checker decides the main claims of a verdict only, and does not repeat runs, which
    # ``verify`` does for partitions.
    knows_all = type(case.certificate).__name__ not in ("Separability", "MixingCertificate")
    if knows_all and found.failures and not {"fails", "open"} & set(truth.values()):
        wrong.append(f"{[check.claim for check in found.failures]} fail, but all claims are true")
    if exact:
        decided_claims = {claim for claim, status in truth.items() if status in ("holds", "fails")}
        wrong += [
            f"{check.claim} is open with exact: {check.detail}"
            for check in found.checks
            if check.status == "open" and check.claim in decided_claims - OPEN_IF_EXACT
        ]
    return wrong, found, truth


def report(number, case, wrong):
    """The words of a failure, with what is needed to repeat it."""
    table = case.X.toarray() if hasattr(case.X, "toarray") else case.X
    lines = [f"case {number}, {case.name}", *wrong, f"X = {table.tolist()}", f"y = {case.y.tolist()}"]
    lines.append(f"weights = {None if case.weights is None else case.weights.tolist()}")
    fields = {name: getattr(case.certificate, name) for name in case.certificate.__dataclass_fields__}
    return "\n".join([*lines, f"{type(case.certificate).__name__}(**{fields})"])

"""What Schemathesis must know of this API that no OpenAPI document can say.

A request that breaks the schema must be refused. The API refuses with status 200 and `error: true` (docs/guide/api.md,
"Answers and failures"), where Schemathesis expects 4xx. The check below is its own `negative_data_rejection`, told
what a refusal is here; every other answer to such a request stays a finding.
"""

import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection


@schemathesis.check
def refusal_of_invalid_data(ctx, response, case):
    if is_refusal(response) or is_absent_body(case) or is_absent_scheme(case) or has_dropped_fraction(case) or has_word_for_flag(case):
        return None
    return negative_data_rejection(ctx, response, case)


def is_refusal(response):
    """A status of the transport's, `error` of the envelope or of RFC 6749, or rows that a report had refused."""
    if response.status_code in (400, 401, 413, 415, 429):
        return True
    answer = answer_of(response)
    return bool(answer.get("error")) or bool(answer.get("rejected")) or is_redirected_error(answer)


def is_redirected_error(answer):
    """An authorization request is refused through the application's redirect address (RFC 6749, section 4.1.2.1)."""
    return "error=" in (answer.get("location") or "")


def is_absent_body(case):
    """`null` stands for an absent value everywhere in requests: a body of null is no body."""
    return case.body is None


def is_absent_scheme(case):
    """An empty `x-auth-scheme` is none, as clients send it whose setting is empty. It is not one of the words."""
    return (case.headers or {}).get("x-auth-scheme", "api").strip() == ""


def has_dropped_fraction(case):
    """Times whose schema says `x-sluice-fraction: dropped` are taken without their fraction."""
    body = case.body if isinstance(case.body, dict) else {}
    names = ("startTime", "endTime", "startTimeMs", "endTimeMs") if "getUptimeWindows" in case.path else ()
    return any(isinstance(body.get(name), float) and not body[name].is_integer() for name in names)


def has_word_for_flag(case):
    """Flags whose schema says `x-sluice-words: accepted` can be text."""
    body = case.body if isinstance(case.body, dict) else {}
    return "getFootageSeekpointsV2" in case.path and body.get("includeAnyMotion") in ("true", "false")


def answer_of(response):
    try:
        answer = response.json()
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}

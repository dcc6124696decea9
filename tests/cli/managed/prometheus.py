"""Reads the counts on standard input as Prometheus does, and looks at what they say."""

import sys

from prometheus_client.parser import text_string_to_metric_families

# Every label, and the words it may have; of the paths, those of the API.
WORDS = {
    "outcome": {"done", "failed", "denied", "blocked", "expired", "withdrawn"},
    "decided_by": {"policy", "person", "timeout", "caller", "guard"},
    "status": None,
    "path": None,
    "le": None,
    "version": None,
}

text = sys.stdin.read()
assert "secretword" not in text
families = {family.name: family for family in text_string_to_metric_families(text)}
kinds = {name: family.type for name, family in families.items()}
assert kinds == {
    "guarda_build_info": "gauge",
    "guarda_actions_under_way": "gauge",
    "guarda_questions_open": "gauge",
    "guarda_record_writable": "gauge",
    "guarda_wrong_tokens": "counter",
    "guarda_actions": "counter",
    "guarda_judgements": "counter",
    "guarda_http_request_seconds": "histogram",
}, kinds
for family in families.values():
    assert family.documentation, family
    for sample in family.samples:
        for label, value in sample.labels.items():
            assert WORDS[label] is None or value in WORDS[label], sample
            if label == "path":
                assert value in {"/v1/actions", "/v1/judge", "/v1/status", "other", "/metrics"}, sample

counts = {(sample.name, *sample.labels.values()): sample.value for family in families.values() for sample in family.samples}
assert counts["guarda_wrong_tokens_total",] == 1, counts
assert counts["guarda_actions_total", "done", "policy"] == 1, counts
assert counts["guarda_actions_total", "blocked", "policy"] == 1, counts
assert counts["guarda_judgements_total", "requires_confirmation"] == 1, counts

# Each class of a histogram includes the ones below it, the last one includes everything, and the sum is not negative.
series = {}
for sample in families["guarda_http_request_seconds"].samples:
    key = (sample.labels["path"], sample.labels["status"])
    series.setdefault(key, {"classes": []})
    if sample.name.endswith("_bucket"):
        series[key]["classes"].append((float(sample.labels["le"]), sample.value))
    else:
        series[key][sample.name.rsplit("_", 1)[1]] = sample.value
assert ("other", "404") in series or ("other", "400") in series, series
for key, found in series.items():
    bounds, values = zip(*found["classes"])
    assert list(bounds) == sorted(bounds) and bounds[-1] == float("inf"), key
    assert list(values) == sorted(values) and values[-1] == found["count"] and found["sum"] >= 0, key

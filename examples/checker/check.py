#!/usr/bin/env python3
"""Checks the hashes of proven days against an answer of upstream, without Pulsekeep and without packages.

    check.py RESOURCE ANSWER.json... [--proofs PROOFS.json]

ANSWER.json is a body of upstream's response about RESOURCE: each page of a timeseries, or the one list of summaries.
Prints `PROVIDER DAY OBJECTS HASH` for each UTC day. With the body of `GET /admin/v1/accounts/{id}/proofs`, exits with 1
if a proven day of RESOURCE has another hash. Compare only days that lie completely inside the window of the answer.
The form is described in docs/canonical-form.md.
"""
import argparse
import datetime
import hashlib
import json
import re
import sys

DATE_TIME = re.compile(r"^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?$", re.ASCII)
DATE = re.compile(r"^\d{4}-\d\d-\d\d$", re.ASCII)

LEFT_OUT_OF_POINTS = ("id", "grouping", "timestamp")
LEFT_OUT_OF_SOURCES = ("name", "slug", "logo")
UNSTABLE_OF_SOURCES = ("device_id", "sport", "workout_id")
UNSTABLE_OF_SUMMARIES = ("source_device_id",)
LEFT_OUT_OF_SUMMARIES = {
    "activity": ("date", "daily_movement"),
    "body": ("date",),
    "meal": ("priority_id", "source_id", "provider_id"),
    "sleep": ("date", "sleep_stream"),
}
# By resource: the key of the list in the answer (None: the body is the object), and the field with the time.
SUMMARIES = {
    "activity": ("activity", "calendar_date"),
    "body": ("body", "calendar_date"),
    "electrocardiogram": ("electrocardiogram", "session_start"),
    "meal": ("meals", "timestamp"),
    "menstrual_cycle": ("menstrual_cycle", "period_start"),
    "profile": (None, "updated_at"),
    "sleep": ("sleep", "bedtime_start"),
    "sleep_cycle": ("sleep_cycle", "session_start"),
    "workouts": ("workouts", "time_start"),
}


def moment(value):
    """Milliseconds since 1970 of a date or a date-time; None for anything else."""
    if not isinstance(value, str):
        return None
    if DATE.match(value):
        return at_offset(value, "00:00", "00", "", "Z")
    parts = DATE_TIME.match(value)
    return at_offset(parts[1], parts[2], parts[3], parts[4] or "", parts[5] or "Z") if parts else None


def at_offset(day, clock, seconds, fraction, offset):
    if seconds == "60":
        seconds, fraction = "59", "999"
    try:
        local = datetime.datetime.fromisoformat(f"{day}T{clock}:{seconds}")
    except ValueError:
        return None
    ms = int((fraction + "000")[:3])
    since = int((local - datetime.datetime(1970, 1, 1)).total_seconds()) * 1000 + ms
    if offset in "Zz":
        return since
    ahead = (int(offset[1:3]) * 60 + int(offset[4:])) * 60000
    return since + ahead if offset[0] == "-" else since - ahead


def moment_text(ms):
    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)
    return at.strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1000:03d}Z"


def well_formed(text):
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def normal(value):
    if isinstance(value, str):
        ms = moment(value) if not DATE.match(value) else None
        return well_formed(value) if ms is None else moment_text(ms)
    if isinstance(value, list):
        return [normal(one) for one in value]
    if isinstance(value, dict):
        fields = {well_formed(name): normal(one) for name, one in value.items()}
        return {name: one for name, one in fields.items() if one is not None and one != ""}
    return value


def number(value):
    """As ECMAScript writes it (RFC 8785, section 3.2.2.3)."""
    value = float(value)
    if value == 0:
        return "0"
    if value < 0:
        return "-" + number(-value)
    mantissa, _, exponent = f"{value!r}".partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits = (whole + part).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + part) - len(digits))
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        return digits.ljust(point, "0") if len(digits) <= point else f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def canonical(value):
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(f"{quoted(name)}:{canonical(value[name])}" for name in names) + "}"


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def without(fields, names):
    return {name: value for name, value in fields.items() if name not in names}


def fields_of(value):
    return value if isinstance(value, dict) else {}


def provider_of(source, summary=None):
    named = [source.get("provider"), source.get("slug"), fields_of(summary).get("source_provider")]
    return next((one for one in named if isinstance(one, str) and one), "unknown")


def point(source, given):
    provider = provider_of(source)
    own = {"type": "unknown", **normal(without(source, LEFT_OUT_OF_SOURCES)), "provider": provider}
    start = None
    fields = given
    if isinstance(given, dict):
        start = given["start"] if given.get("start") is not None else given.get("timestamp")
        times = {name: moment_text(moment(at)) if moment(at) is not None else at
                 for name, at in (("start", start), ("end", given.get("end")))}
        fields = normal({**without(given, LEFT_OUT_OF_POINTS), **times})
    whole = canonical({"point": fields, "source": own})
    return start, provider, whole, canonical({"point": fields, "source": without(own, UNSTABLE_OF_SOURCES)})


def summary(resource, given):
    kept = without(given, LEFT_OUT_OF_SUMMARIES.get(resource, ()))
    source = fields_of(given.get("source"))
    if "source" in given:
        kept = {**kept, "source": without(source, LEFT_OUT_OF_SOURCES)}
    whole = normal(kept)
    stable = without(whole, UNSTABLE_OF_SUMMARIES)
    if isinstance(stable.get("source"), dict):
        stable["source"] = without(stable["source"], UNSTABLE_OF_SOURCES)
    return given.get(SUMMARIES[resource][1]), provider_of(source, given), canonical(whole), canonical(stable)


def changed_at(given):
    text = given.get("updated_at") if given.get("updated_at") is not None else given.get("created_at")
    ms = moment(text)
    micros = re.search(r"\.\d{3}(\d{1,3})", str(text))
    return float("-inf") if ms is None else ms * 1000 + int((micros[1] if micros else "").ljust(3, "0"))


def objects_of(resource, pages):
    """Time, provider, whole text and canonical text of each object, those that are equal in everything once."""
    found = []
    if resource in SUMMARIES:
        key = SUMMARIES[resource][0]
        newest = {}
        for page in pages:
            for given in [page] if key is None else page[key]:
                last = newest.get(given["id"])
                if last is None or changed_at(given) >= changed_at(last):
                    newest[given["id"]] = given
        found = [summary(resource, given) for given in newest.values()]
    else:
        for page in pages:
            for key, groups in page["groups"].items():
                for group in groups:
                    source = dict(fields_of(group.get("source")))
                    source["provider"] = source.get("provider") or source.get("slug") or key
                    found += [point(source, given) for given in group["data"]]
    return list({whole: (time, provider, text) for time, provider, whole, text in found}.values())


def days_of(resource, pages):
    """Number of objects and hash by provider and day."""
    days = {}
    for time, provider, text in objects_of(resource, pages):
        ms = moment(time)
        if ms is not None:
            days.setdefault((provider, moment_text(ms)[:10]), []).append(f"{text}\n".encode())
    return {key: (len(lines), hashlib.sha256(b"".join(sorted(lines))).hexdigest()) for key, lines in days.items()}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("resource")
    parser.add_argument("answers", nargs="+")
    parser.add_argument("--proofs")
    given = parser.parse_args(arguments)
    pages = [json.load(open(path, encoding="utf-8")) for path in given.answers]
    days = days_of(given.resource, pages)
    for (provider, day), (count, digest) in sorted(days.items()):
        print(provider, day, count, digest)
    if given.proofs is None:
        return 0
    wrong = 0
    for proof in json.load(open(given.proofs, encoding="utf-8"))["data"]:
        found = days.get((proof["provider"], proof["day"]))
        if proof["resource"] != given.resource or proof["state"] != "proven" or found is None:
            continue
        if found != (proof["objects"], proof["hash"]):
            print("different", proof["provider"], proof["day"], file=sys.stderr)
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Traces of names that a careless store takes for each other, or does not keep as they are given (C1): name_traces.py FOLDER
writes one for each group of names; with --service, without those that the service refuses.

In each, every name of the group is that of an id, of a partition and of a collection. Each document has a life of its
own, and after each step of the clock all are read.
"""
import itertools
import json
import pathlib
import sys

GROUPS = {
    "empty": ["", " ", "a"],
    "case": ["a", "A", "aB", "Ab", "AB"],
    "spaces": ["a", "a ", " a", "a  ", "a\t", "a\n", "a\r\n", "a\u00a0", "a b", "a  b"],
    "form": ["\u00e9", "e\u0301", "e", "\u212b", "\u00c5", "A\u030a", "\ufb01", "fi", "\u00df", "ss", "SS"],
    "digits": ["0", "00", "000", "1", "01", "1.0", "1e0", "+1", "-0", "0x1"],
    "nul": ["a\u0000", "a", "a\u0000b", "\u0000", "\u0000a", "a\u0000c"],
    "prefixes": ["a", "ab", "abc", "a" * 16, "a" * 17, "a" * 64, "a" * 65, "a" * 255, "a" * 254 + "b"],
    "astral": ["\U0001f600", "\U0001f601", "\U0001f468\u200d\U0001f469", "\U0001f468\U0001f469", "\U0010ffff", "\uffff", "\ufffd"],
    "lines": ["a", "a\u2028", "a\u2029b", "\u0085a", "\ufeffa", "a\u000b", "a\u000c", "a\u001c", "a\r"],
    "direction": ["\u05d0a", "a\u05d0", "\u202ea", "a\u202e", "\u200fa", "a"],
    "escapes": ["%61", "a", "%2F", "%", "%25", "\\u0061", "&amp;", "&", "+", "..", ".", "~2F", "$ref", "__proto__", "null"],
}
# Pairs of a partition and an id that are the same once they are joined: a/b and a, a and b/a.
JOINED = {f"joined-{ord(separator):02x}": ["a", "b", f"a{separator}b", f"b{separator}a", separator, separator + "a"]
          for separator in "/:|.,;\\#?'\"-_~\u0000\n\u001f\u007f\u0080"}
LONG = {"long": ["x" * 1_000, "x" * 999 + "y", "x" * 1_001], "very-long": ["x" * 70_000, "x" * 69_999 + "y"]}


def lives(keys):
    """Each document with a value, a ttl and a moment of its own, and all that is seen of it."""
    for i, (collection, partition, name) in enumerate(keys):
        key = {"collection": collection, "partition": partition, "id": name}
        yield {"op": "create", **key, "ttl": 2 + i % 3, "value": f"v{i}"}
        if i % 4 == 1:
            yield {"op": "replace", **key, "value": f"w{i}"}
        if i % 4 == 2:
            yield {"op": "delete", **key}
        if i % 4 == 3:
            yield {"op": "upsert", **key, "ttl": 1}


def seen(keys):
    for collection, partition, name in keys:
        yield {"op": "read", "collection": collection, "partition": partition, "id": name}
    for collection, partition in dict.fromkeys(key[:2] for key in keys):
        yield {"op": "query", "collection": collection, "partition": partition}
    for collection in dict.fromkeys(key[0] for key in keys):
        yield {"op": "query", "collection": collection}


def trace(names, collections):
    pairs = list(itertools.islice(itertools.product(names, names), 30))
    keys = [("c0", partition, name) for partition, name in pairs] + [(name, "p0", "d0") for name in collections]
    yield {"op": "reset", "now": 1_700_000_000}
    for collection in dict.fromkeys(key[0] for key in keys):
        yield {"op": "create_collection", "collection": collection, "default_ttl": 3}
    yield from lives(keys)
    yield from seen(keys)
    for _ in range(3):
        yield {"op": "advance", "seconds": 1}
        yield from seen(keys)
    for name in collections[::2]:
        yield {"op": "delete_collection", "collection": name}
    yield from seen(keys)


def within(most_bytes, names):
    """Those that the service takes."""
    return [name for name in names if 0 < len(name.encode()) <= most_bytes and not set(name) & set("/\\?#")]


def main(folder, service=None):
    for group, names in {**GROUPS, **JOINED, **LONG}.items():
        names = list(dict.fromkeys(names))
        requests = trace(within(1_023, names), within(234, names)) if service else trace(names, names)
        pathlib.Path(folder, f"{group}.jsonl").write_text("".join(json.dumps(request) + "\n" for request in requests))


if __name__ == "__main__":
    main(*sys.argv[1:])

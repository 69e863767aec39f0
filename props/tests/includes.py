"""Holds what each room includes to the rooms that it may know: includes.py SOURCE_FOLDER

A room is a folder of headers with its sources: `mayfly/serve/query/` is the room serve/query.
"""

import pathlib
import re
import sys

LIBRARIES = {"model": "model", "sim": "sim", "sim/rest": "rest", "sim/cosmos": "cosmos", "sim/serve": "serve",
             "props": "props"}
MAY_INCLUDE = {
    "model": [],
    "sim": ["model"],
    "rest": ["model", "sim"],
    "cosmos": ["model", "sim", "rest"],
    "serve/journal": ["model"],
    "serve/message": ["model", "rest"],
    "serve/query": ["model", "rest", "serve/message"],
    "serve/service": ["model", "sim", "rest", "serve/journal", "serve/message", "serve/query"],
    "serve/wire": ["sim", "serve/message", "serve/service"],
    "props/property": ["model", "sim"],
    "props/generate": ["model", "sim"],
    "props/defects": ["model", "sim"],
    "props/shrink": ["model", "sim", "props/property"],
    "props/run": ["model", "sim", "props/property", "props/generate", "props/shrink"],
    "props/explore": ["model", "sim", "props/property", "props/shrink", "props/run"],
    "props/conformance": ["model", "sim", "props/property", "props/generate", "props/defects", "props/shrink"],
    "props/report": ["model", "sim", "props/property", "props/generate", "props/defects", "props/shrink", "props/run",
                     "props/conformance"],
    "props": ["model", "sim"],  # verify and rapidcheck, on top of its rooms
}


def room_of(path):
    """The room of a file, from its path below the source folder."""
    folder, _, inside = str(path.parent).rpartition("/include/mayfly/")
    if folder:
        return inside
    folder, _, inside = (str(path.parent) + "/").rpartition("/src/")
    return "/".join(filter(None, [LIBRARIES.get(folder, "outside"), inside.rstrip("/")]))


def is_in(room, row):
    return (room + "/").startswith(row + "/")


def row_of(room):
    rows = [row for row in MAY_INCLUDE if is_in(room, row)]
    return max(rows, key=len) if rows else sys.exit(f"the room {room} has no row")


def files_of(source, folder):
    for part in "include", "src":
        for file in sorted((source / folder / part).rglob("*.[ch]pp")):
            yield file


def wrong_includes(source):
    for folder in LIBRARIES:
        for file in files_of(source, folder):
            path = file.relative_to(source)
            row = row_of(room_of(path))
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                included = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<(mayfly/[^>]+)>)', line)
                if not included:
                    continue
                name = included[1] or included[2]
                if name.startswith("mayfly/"):
                    room = str(pathlib.PurePosixPath(name).parent)[len("mayfly/"):]
                else:
                    target = (file.parent / name).resolve()
                    room = room_of(target.relative_to(source)) if target.exists() else "nowhere"
                if not any(is_in(room, known) for known in [row, *MAY_INCLUDE[row]]):
                    yield f"{path}:{number}: {row} must not know {room}: {line.strip()}"


def wrong_links(source):
    """A library sees the headers of what it links to, and no others: so it must link to just what it may know."""
    links = {}
    for folder, name in LIBRARIES.items():
        text = (source / folder / "CMakeLists.txt").read_text(encoding="utf-8")
        linked = re.search(r"mayfly_library\(" + name + r"\n.*?\n +LINK ([^)]*)\)", text, re.DOTALL)
        direct = re.findall(r"mayfly::(\w+)", linked[1]) if linked else []
        links[name] = {*direct, *(far for near in direct for far in links.get(near, ()))}
        known = {other.split("/")[0] for row, others in MAY_INCLUDE.items() if is_in(row, name) for other in others}
        if links[name] != known - {name}:
            yield f"{name} links to {sorted(links[name])}, and may know {sorted(known - {name})}"


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    wrong = [*wrong_includes(source), *wrong_links(source)]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()

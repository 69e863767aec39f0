"""Holds the documents to what is there: documents.py PROGRAM SOURCE_FOLDER [--update]

Commands that a document shows in a block are run: `$ ./mayfly ...` has to print what is shown below it, where a line
`...` stands for any lines, and `...` within a line for any text; `./mayfly ...` has to be accepted. With --update, a
line that is not printed is replaced by the printed line that is most like it.

Also held: links, names of files, the options of every command that is named, and what only one document has.
"""

import contextlib
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import urllib.request

PROGRAM, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
UPDATE = sys.argv[3:] == ["--update"]
DOCUMENTS = sorted(path for path in SOURCE.rglob("*.md") if path.relative_to(SOURCE).parts[0] != "build")

# Commands that are not run, with the reason.
NOT_RUN = {
    r"\./mayfly test": "the launcher's: it runs this test",
    r"\./mayfly bench.*": "the launcher's: it builds the benchmarks, which take minutes",
    r"\./mayfly check": "takes ten seconds; with --cases it is run elsewhere",
    r"\./mayfly merge shard\*\.json": "campaigns.sh runs it, with the line before it",
}

# Commands that OPTIONS.md does not list: the launcher's, and what maintains a checkout.
UNLISTED = {"test", "bench", "options", "completion"}

# Options that documents name and that are other programs'.
OF_OTHERS = {"--sshlogin", "--late", "--revives"}

# Names in documents that are files on the reader's machine.
FILES_OF_THE_READER = {"mayfly-violation.jsonl", "mayfly-X1.jsonl"}

# Build servers and batch systems set variables that change what is printed.
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}

failures = []


def fail(where, text):
    failures.append(f"{where}: {text}")


def name_of(document):
    return document.relative_to(SOURCE)


def lines_of(document):
    return document.read_text(encoding="utf-8").splitlines()


# What is shown.


def code_lines(document):
    """(number, text) of the lines in indented and fenced blocks; None between two blocks."""
    is_fenced = False
    for number, line in enumerate(lines_of(document)):
        if line.startswith("```"):
            is_fenced = not is_fenced
            yield None
        elif is_fenced:
            yield number, line
        elif line.startswith("    "):
            yield number, line[4:]
        elif line:
            yield None
        else:
            yield number, ""  # perhaps within a block


def examples(document):
    """(number, command, numbered lines that are shown below it); None for the lines if only the command is shown."""
    shown = None
    for line in [*code_lines(document), None]:
        is_command = line and line[1].startswith(("$ ", "./mayfly "))
        if shown and (line is None or is_command):
            while shown[2] and not shown[2][-1][1]:
                shown[2].pop()
            yield shown
            shown = None
        if is_command and line[1].startswith("$ "):
            shown = line[0], line[1][2:], []
        elif is_command:
            yield line[0], line[1].partition("  #")[0].rstrip(), None
        elif shown:
            shown[2].append(line)


def fits(shown, printed):
    return re.fullmatch(".*".join(map(re.escape, shown.split("..."))), printed)


def first_difference(shown, printed):
    """The place of the first shown line that is not printed there, or of the end if more is printed; or None."""
    place, may_skip = 0, False
    for number, line in enumerate(shown):
        if line.strip() == "...":
            may_skip = True
            continue
        while may_skip and place < len(printed) and not fits(line, printed[place]):
            place += 1
        if place == len(printed) or not fits(line, printed[place]):
            return number
        place, may_skip = place + 1, False
    return None if may_skip or place == len(printed) else len(shown)


def updated(document, numbered, printed):
    """Replaces shown lines until all are printed, or one is like none of those."""
    text = lines_of(document)
    shown = [line for _, line in numbered]
    while (place := first_difference(shown, printed)) is not None and place < len(shown):
        like = difflib.get_close_matches(shown[place], [line for line in printed if line not in shown], 1, 0.3)
        if not like:
            break
        new = re.sub(r" in [0-9.]+ m?s\b.*", " in ...", like[0])
        number = numbered[place][0]
        text[number] = text[number].replace(shown[place], new)
        shown[place] = new
    document.write_text("\n".join(text) + "\n", encoding="utf-8")
    return first_difference(shown, printed) is None


def compare(document, command, numbered, printed):
    printed = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
    shown = [line for _, line in numbered]
    place = first_difference(shown, printed)
    if place is None or (UPDATE and updated(document, numbered, printed)):
        return
    if place == len(shown):
        return fail(f"{name_of(document)}: $ {command}", "more is printed than is shown:\n" + "\n".join(printed[-20:]))
    like = difflib.get_close_matches(shown[place], printed, 1, 0.3) or ["\n".join(printed[-20:])]
    fail(f"{name_of(document)}:{numbered[place][0] + 1}: $ {command}",
         f"\n  shown    {shown[place]}\n  printed  {like[0]}")


# Running it.


class Server:
    """A server that a document starts, on a free port in place of the one that is shown."""

    shown_port = "8081"

    def __init__(self, words, folder):
        self.process = subprocess.Popen([*words, "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True)
        self.printed = self.process.stdout.readline()
        self.port = re.search(r":(\d+)/", self.printed).group(1)
        self.printed += "".join(self.process.stdout.readline() for _ in range(3))

    def as_shown(self, text):
        return text.replace(f":{self.port}/", f":{self.shown_port}/")

    def as_run(self, text):
        return text.replace(f":{self.shown_port}/", f":{self.port}/")

    def end(self):
        self.process.terminate()
        self.process.communicate()


def answer_of_curl(words):
    """curl -d DATA URL, as curl sends it; curl itself may not be installed."""
    option, data, url = words
    assert option == "-d"
    with urllib.request.urlopen(url, data.encode(), timeout=60) as answer:
        return answer.read().decode()


def run(command, folder):
    """What it prints; that it is not accepted, too."""
    words = shlex.split(command)
    if words[0] == "curl":
        return answer_of_curl(words[1:])
    ran = subprocess.run(words, cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         check=False)
    if ran.returncode in (2, 3):
        fail(f"$ {command}", f"exits with {ran.returncode}: {ran.stderr}")
    return ran.stdout


class Terminal:
    """A folder with what a checkout has: files that a command leaves are there for those below it."""

    def __init__(self, stack):
        self.stack = stack
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.server = None
        (self.folder / "mayfly").symlink_to(PROGRAM)
        for path in SOURCE.iterdir():
            if path.is_dir() and path.name != "build" and not path.name.startswith("."):
                (self.folder / path.name).symlink_to(path)

    def serve(self, command):
        self.server = Server(shlex.split(command), self.folder)
        self.stack.callback(self.server.end)
        return self.server.as_shown(self.server.printed)

    def run(self, command):
        if command.startswith("./mayfly serve"):
            return self.serve(command)
        if f":{Server.shown_port}/" in command and not self.server:
            self.serve("./mayfly serve --clock virtual")
        if not self.server:
            return run(command, self.folder)
        return self.server.as_shown(run(self.server.as_run(command), self.folder))


def run_examples(document):
    with contextlib.ExitStack() as stack:
        terminal = Terminal(stack)
        for number, command, shown in examples(document):
            if any(re.fullmatch(pattern, command) for pattern in NOT_RUN):
                continue
            if not command.startswith(("./mayfly ", "curl ")):
                fail(f"{name_of(document)}:{number + 1}", f"neither ./mayfly nor curl, so it is not run: {command}")
                continue
            printed = terminal.run(command)
            if shown is not None:
                compare(document, command, shown, printed)


# What is named.


def anchors(document):
    headings = [line.lstrip("#").strip() for line in lines_of(document) if re.match("#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(document):
    for text, link in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if re.match("https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists():
            fail(name_of(document), f"[{text}] leads to {link}, which is not there")
        elif anchor and anchor not in anchors(target):
            fail(name_of(document), f"[{text}] leads to {link}, and {name_of(target)} has no such heading")


def files_of_the_source():
    """Files, and folders with a slash behind them."""
    for path in SOURCE.rglob("*"):
        name = str(path.relative_to(SOURCE))
        if not name.startswith(("build/", ".git/")):
            yield f"/{name}/" if path.is_dir() else f"/{name}"


def check_file_names(document, files):
    """A name is the end of a path: `judge.hpp`, `sim/judge.hpp` or `sim/include/`."""
    prose = "\n".join(line for line in lines_of(document) if not line.startswith("    "))
    for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)*/?)`", prose):
        if not re.search(r"/$|\.(hpp|cpp|[chm]?js|py|sh|md|json|jsonl|html|css|png|txt|yml)$", name):
            continue
        if name not in FILES_OF_THE_READER and not any(file.endswith("/" + name) for file in files):
            fail(name_of(document), f"there is no {name}")


def options_by_command():
    text = subprocess.run([PROGRAM, "options"], stdout=subprocess.PIPE, text=True, check=True).stdout
    sections = re.split(r"^## mayfly ", text, flags=re.M)[1:]
    return text, {section.split("\n", 1)[0]: set(re.findall(r"^\| `(--[\w-]+)", section, re.M)) for section in sections}


def check_commands(document, options):
    """Wherever a command line is named, in code or between backticks."""
    text = document.read_text(encoding="utf-8")
    for command, rest in re.findall(r"(?:\./|[`'\"])mayfly ([a-z-]+)([^`\n#|;<>]*)", text):
        if command in UNLISTED:
            continue
        if command not in options:
            fail(name_of(document), f"there is no command: mayfly {command}")
            continue
        outside_quotes = re.sub(r"'[^']*'|\"[^\"]*\"", "", rest)
        for option in set(re.findall(r"(?<![\w-])--[\w-]+", outside_quotes)) - options[command] - {"--help"}:
            fail(name_of(document), f"mayfly {command} has no {option}")
    if document.name != "BENCHMARKS.md":  # its options are the launcher's
        for option in set(re.findall(r"`(--[\w-]+)", text)) - set().union({"--help"}, OF_OTHERS, *options.values()):
            fail(name_of(document), f"no command has {option}")


# What only one document has.


def check_readme():
    words = len((SOURCE / "README.md").read_text(encoding="utf-8").split())
    if words > 1000:
        fail("README.md", f"{words} words, of at most 1,000")


def check_table_of_commands(options):
    rows = set(re.findall(r"^\| `mayfly ([\w-]+)", (SOURCE / "props/CHECKING.md").read_text(encoding="utf-8"), re.M))
    for command in sorted({*options, "bench"} ^ rows):
        fail("props/CHECKING.md", f"the table and the program do not both have the command {command}")


def check_options(text):
    if (SOURCE / "props/OPTIONS.md").read_text(encoding="utf-8") == text:
        return
    if UPDATE:
        (SOURCE / "props/OPTIONS.md").write_text(text, encoding="utf-8")
    else:
        fail("props/OPTIONS.md", "is not what the program says: mayfly options >props/OPTIONS.md")


def check_code_for_cpp():
    """The lines that show how to check a C++ store are lines that are compiled and run."""
    code = (SOURCE / "props/tests/consumer/sessions_property.cpp").read_text(encoding="utf-8").splitlines()
    text = (SOURCE / "props/CHECKING.md").read_text(encoding="utf-8")
    block = re.search(r"^    #include <mayfly/props/rapidcheck.hpp>\n(?:(?:    .*)?\n)+", text, re.M)
    shown = [line[4:] for line in block.group().splitlines() if line.strip()] if block else []
    if len(shown) < 4:
        fail("props/CHECKING.md", f"there is no code to check a store: {shown}")
    for line in shown:
        if line not in code:
            fail("props/CHECKING.md", f"no line of sessions_property.cpp: {line}")


def main():
    text, options = options_by_command()
    files = list(files_of_the_source())
    check_options(text)
    check_readme()
    check_table_of_commands(options)
    check_code_for_cpp()
    for document in DOCUMENTS:
        check_links(document)
        check_file_names(document, files)
        check_commands(document, options)
        run_examples(document)
    shown = {command for document in DOCUMENTS for _, command, _ in examples(document)}
    for pattern in NOT_RUN:
        if not any(re.fullmatch(pattern, command) for command in shown):
            fail("documents.py", f"no document shows {pattern}")
    print("\n".join(failures) or "the documents are true")
    sys.exit(1 if failures else 0)


main()

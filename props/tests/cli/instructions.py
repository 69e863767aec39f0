"""Holds checking to the instructions and allocations an operation that it takes: instructions.py BUILD_FOLDER SOURCE_FOLDER

Builds `mayfly_instructions` as a release, in the build folder, and runs it under valgrind's callgrind, which counts the
same instructions however busy the machine is. Another compiler or C library counts others, hence the tolerance.
"""

import pathlib
import re
import subprocess
import sys

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
FOLDER = BUILD / "instructions"
PROGRAM = FOLDER / "props/tests/mayfly_instructions"
CASES = 400
TOLERANCE = 1.05

# Instructions and allocations an operation, in the small world.
LIMITS = {
    "check": (8100, 2.2),  # as `mayfly check` does it: cases are made, and laws, tally and digest included
    "watched": (5050, 2.2),  # agreement, with everything observed
    "unwatched": (1840, 0.8),  # agreement alone
}


def quietly(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(each) for each in command)}:\n{done.stdout}{done.stderr}")
    return done


def build():
    quietly("cmake", "--preset", "release", "-S", SOURCE, "-B", FOLDER, "-DMAYFLY_TESTS=ON")
    quietly("ninja", "-C", FOLDER, "mayfly_instructions")


def measured(kind):
    run = quietly("valgrind", "--tool=callgrind", f"--callgrind-out-file={FOLDER / kind}.callgrind",
                  "--collect-atstart=no", "--toggle-collect=measured", PROGRAM, kind, CASES)
    operations, allocations = (int(number) for number in run.stdout.split())
    instructions = int(re.search(r"Collected : (\d+)", run.stderr)[1])
    return instructions / operations, allocations / operations


def main():
    build()
    missed = False
    for kind, (instructions_limit, allocations_limit) in LIMITS.items():
        instructions, allocations = measured(kind)
        print(f"{kind:10} {instructions:7,.0f} instructions of {instructions_limit:,}, "
              f"{allocations:.2f} allocations of {allocations_limit} an operation", flush=True)
        missed |= instructions > instructions_limit * TOLERANCE or allocations > allocations_limit * TOLERANCE
    sys.exit("an operation takes more than 5 % above its limit" if missed else 0)


main()

"""The service's clients for .NET on our server: run.py PROJECT MAYFLY FOLDER

Builds the project of this name in the folder, with packages of NuGet, and runs it. The project `documents` runs the samples of
sim/serve/ARTICLES.md. Exits with 77, after a sentence, where there is no SDK or no package.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parents[3] / "sim/serve/ARTICLES.md"
PROJECT, MAYFLY, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def skip(why):
    print(why)
    sys.exit(77)


def samples():
    """The C# of the page as a class: a block that declares a class stands beside the method that has the others."""
    page = PAGE.read_text()
    sections = len(re.findall("^#+ ", page, re.M))
    statements, classes = [], []
    for block in re.finditer("^```csharp\n(.*?)^```$", page, re.M | re.S):
        line = page.count("\n", 0, block.start(1)) + 1
        (classes if block[1].startswith("class ") else statements).append(f'#line {line} "{PAGE}"\n{block[1]}')
    if len(statements) < sections - 1:
        sys.exit(f"{PAGE} has {sections} sections, and {len(statements)} samples in C#")
    return ("#nullable enable\nusing Microsoft.Azure.Documents;\nusing Microsoft.Azure.Documents.Client;\nusing Newtonsoft.Json;\n"
            "using static Mayfly;\nstatic class Articles\n{\npublic static async Task Samples(Mayfly mayfly)\n{\n" + "".join(statements) + "}\n" + "".join(classes) + "}\n")


def dotnet(*arguments):
    environment = {**os.environ, "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "MSBUILDDISABLENODEREUSE": "1"}
    return subprocess.run(["dotnet", *arguments], env=environment, capture_output=True, text=True)


def newest_sdk():
    found = dotnet("--list-sdks").stdout if shutil.which("dotnet") else ""
    return max((int(major) for major in re.findall(r"^(\d+)\.", found, re.M)), default=0)


if newest_sdk() < 8:
    skip("there is no dotnet SDK, of version 8 or newer, on this machine")
FOLDER.mkdir(parents=True, exist_ok=True)
made = FOLDER / "Samples.cs"
if not made.exists() or made.read_text() != samples():
    made.write_text(samples())
project = HERE / PROJECT / f"{PROJECT}.csproj"
program = FOLDER / "bin" / f"{PROJECT}.dll"
properties = [f"-p:BaseIntermediateOutputPath={FOLDER}/obj/", f"-p:Samples={made}", "-p:UseSharedCompilation=false"]
sources = [made, HERE.parents[2] / "examples/Mayfly.cs", *HERE.glob("*.*"), *(HERE / PROJECT).iterdir()]
if not program.exists() or any(source.stat().st_mtime > program.stat().st_mtime for source in sources):
    if not (FOLDER / "obj/project.assets.json").exists():
        restored = dotnet("restore", str(project), *properties)
        if restored.returncode != 0:
            print(restored.stdout)
            skip(f"NuGet does not have what {project.name} needs, or cannot be reached")
    built = dotnet("build", str(project), "--no-restore", "-o", str(program.parent), *properties)
    if built.returncode != 0:
        sys.exit(built.stdout)
    program.touch()
sys.exit(subprocess.run(["dotnet", str(program), MAYFLY], check=False).returncode)

"""For tests that start a `mayfly serve` and move its clock:

    with Mayfly("./mayfly") as mayfly:
        client = CosmosClient(mayfly.endpoint, {"masterKey": mayfly.key})
        ...
        mayfly.advance(days(90))
"""

import json
import re
import subprocess
import urllib.error
import urllib.request


def hours(n):
    return n * 3600


def days(n):
    return n * 86400


class Mayfly:
    key = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="  # the emulators'

    def __init__(self, command="./mayfly", clock="virtual", options=()):
        self.server = subprocess.Popen(
            [command, "serve", "--port", "0", "--clock", clock, *options], stdout=subprocess.PIPE, text=True)
        # The first line has the address. It comes late if the launcher has to build the program first.
        found = re.search(r"https?://\S+", self.server.stdout.readline())
        if not found:
            raise RuntimeError(f"{command} serve did not start")
        self.endpoint = found.group()

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.endpoint}_mayfly/{path}", data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {json.load(error)['message']}") from error

    def now(self):
        return self.ask("clock")["now"]

    def advance(self, seconds):
        return self.ask("clock/advance", {"seconds": seconds})["now"]

    def purge(self, budget=1_000_000):
        return self.ask("purge", {"budget": budget})["purged"]

    def reset(self):
        self.ask("reset", {})

    def stop(self):
        self.server.terminate()
        self.server.wait()
        self.server.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

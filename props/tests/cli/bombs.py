"""No request takes the server: bombs.py PROGRAM

Within 512 MB of address space it answers every one of these, none with more than a tenth of a second of processor time.
That is what the kernel counts for the process, so other programs are not counted; caches they have emptied are, so a
request that took longer is sent again.
"""

import http.client
import json
import resource
import subprocess
import sys

ADDRESS_SPACE = 512 * 1024 * 1024
LONGEST = 0.1  # seconds of processor time
TRIES = 3
ITEMS = 20_000
LARGE = 2 * 1024 * 1024 - 200  # the largest text of an item, nearly

DOCS = "/dbs/d/colls/c/docs"
IN_P = {"x-ms-documentdb-partitionkey": '["p"]'}
QUERY = {"x-ms-documentdb-isquery": "True", "x-ms-documentdb-query-enablecrosspartition": "True"}
BATCH = {"x-ms-cosmos-is-batch-request": "True", **IN_P}


class Server:
    def __init__(self, mayfly):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))

        self.process = subprocess.Popen([mayfly, "serve", "--clock", "virtual", "--port", "0", "--no-auth"],
                                        stdout=subprocess.PIPE, text=True, preexec_fn=limit)
        self.port = int(self.process.stdout.readline().split(":")[2].split("/")[0])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)

    def ask(self, method, path, body="", headers=None):
        self.connection.request(method, path, body if isinstance(body, bytes) else body.encode(), headers or {})
        response = self.connection.getresponse()
        return response.status, response.read()

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/schedstat") as file:
            return int(file.read().split()[0]) / 1e9

    def timed(self, *request):
        before = self.processor_seconds()
        status, body = self.ask(*request)
        return self.processor_seconds() - before, status, body

    def stop(self):
        self.process.terminate()
        return self.process.wait()


def query(sql, parameters=(), **headers):
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return "POST", DOCS, json.dumps({"query": sql, "parameters": list(parameters)}), {**QUERY, **more}


def batch(operations, **headers):
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return "POST", DOCS, json.dumps(operations), {**BATCH, **more}


def patch(item, operations, condition=None):
    body = {"operations": operations, **({"condition": condition} if condition else {})}
    return "PATCH", f"{DOCS}/{item}", json.dumps(body), IN_P


def given(count, value=1):
    return [{"name": f"@p{i}", "value": value} for i in range(count)]


ALL = {"x_ms_max_item_count": "-1"}
ALIASES = ", ".join(f"c AS a{i}" for i in range(2000))
WHERE_LARGE = "WHERE c.id = 'letters'"
READS = [{"operationType": "Read", "id": "letters"}] * 100
PATCHES = [{"operationType": "Patch", "id": "numbers", "resourceBody": [{"op": "incr", "path": "/n", "value": 1}]}] * 100
ATOMIC, GOING_ON = {"x_ms_cosmos_batch_atomic": "True"}, {"x_ms_cosmos_batch_continue_on_error": "True"}

QUERIES = {
    "2,000 columns of whole items": query(f"SELECT {ALIASES} FROM c", **ALL),
    "2,000 columns of a large item": query(f"SELECT {ALIASES} FROM c {WHERE_LARGE}"),
    "50,000 columns": query("SELECT " + ", ".join(f"c.a{i} x{i}" for i in range(12_000)) + " FROM c"),
    "a list of 10,000 large items": query(f"SELECT VALUE [{', '.join(['c'] * 10_000)}] FROM c {WHERE_LARGE}"),
    "lists of lists of large items": query("SELECT VALUE " + "[c, " * 90 + "1" + "]" * 90 + f" FROM c {WHERE_LARGE}"),
    "20,000 parameters": query("SELECT * FROM c WHERE c.x IN (" + ",".join(f"@p{i}" for i in range(20_000)) + ")", given(20_000)),
    "one large parameter, often": query("SELECT * FROM c WHERE c.l IN (" + ",".join(["@p0"] * 20_000) + ")", given(1, [0] * 400_000)),
    "10,000 comparisons": query("SELECT * FROM c WHERE " + " OR ".join(["c.n = 0.5"] * 10_000)),
    "10,000 comparisons of a large list": query("SELECT * FROM c WHERE c.id = 'numbers' AND (" + " OR ".join(["c.l = [c.l]"] * 9_000) + ")"),
    "60,000 operands": query("SELECT VALUE 1" + "+c.n" * 60_000 + " FROM c"),
    "everything sorted, in one page": query("SELECT * FROM c ORDER BY c.n DESC", **ALL),
    "large texts sorted": query("SELECT c.id FROM c ORDER BY c.x"),
    "everything counted": query("SELECT COUNT(1) AS n, SUM(c.n) AS s FROM c"),
    "20,000 groups": query("SELECT c.n, COUNT(1) FROM c GROUP BY c.n", **ALL),
    "groups by the whole item": query("SELECT COUNT(1) FROM c GROUP BY c", **ALL),
    "distinct items": query("SELECT DISTINCT * FROM c", **ALL),
    "a search that begins anew at every letter": query(f"SELECT VALUE CONTAINS(c.x, '{'a' * 100_000}b') FROM c {WHERE_LARGE}"),
    "a pattern of many parts": query(f"SELECT VALUE c.x LIKE '{'%a' * 5_000}b%' FROM c {WHERE_LARGE}"),
    "a pattern of a long set": query(f"SELECT VALUE c.x LIKE '%[{'b' * 100_000}]%' FROM c {WHERE_LARGE}"),
    "text that grows": query("SELECT VALUE " + "REPLACE(" * 90 + "c.x" + ", 'a', 'aaaaaaaa')" * 90 + f" FROM c {WHERE_LARGE}"),
    "text joined with itself": query("SELECT VALUE " + "||".join(["c.x"] * 10_000) + f" FROM c {WHERE_LARGE}"),
    "text reversed again and again": query("SELECT VALUE " + "REVERSE(" * 90 + "c.x" + ")" * 90 + f" FROM c {WHERE_LARGE}"),
    "letters counted again and again": query("SELECT " + ", ".join(["LENGTH(c.x)"] * 9_000) + f" FROM c {WHERE_LARGE}"),
    "lists joined": query(f"SELECT VALUE ARRAY_CONCAT({', '.join(['c.l'] * 100)}) FROM c WHERE c.id = 'numbers'"),
    "a list searched for lists": query("SELECT " + ", ".join(["ARRAY_CONTAINS(c.l, c.l)"] * 5_000) + " FROM c WHERE c.id = 'numbers'"),
    "nothing found among all": query("SELECT * FROM c WHERE c.missing = 1"),
    "nested brackets": query("SELECT * FROM c WHERE " + "(" * 100_000),
    "a long comment": query("SELECT * FROM c /*" + "*" * 200_000),
}
BATCHES = {
    "100 reads of a large item": batch(READS, **ATOMIC),
    "100 reads of a large item, each for itself": batch(READS, **GOING_ON),
    "100 patches of a large item": batch(PATCHES, **ATOMIC),
    "100 patches of a large item, each for itself": batch(PATCHES, **GOING_ON),
    "an item that is 700,000 lists": batch([{"operationType": "Create", "resourceBody": {"id": "l", "pk": "p", "l": [[]] * 500_000}}], **ATOMIC),
}
PATCHED = {
    "1,000 patch operations": patch("numbers", [{"op": "incr", "path": "/n", "value": 1}] * 1_000),
    "elements put before 500,000": patch("numbers", [{"op": "add", "path": "/l/0", "value": 1}] * 10),
    "a large list moved": patch("numbers", [{"op": "move", "from": "/l", "path": "/m"}, {"op": "move", "from": "/m", "path": "/l"}] * 5),
    "a patch that makes an item too large": patch("letters", [{"op": "add", "path": f"/y{i}", "value": "y" * 200_000} for i in range(10)]),
    "a condition that compares much": patch("numbers", [{"op": "incr", "path": "/n", "value": 1}], "FROM c WHERE " + " OR ".join(["c.l = [c.l]"] * 9_000)),
    "a path of 60,000 steps": patch("numbers", [{"op": "add", "path": "/a" * 60_000, "value": 1}]),
}
# Each request, by what it does: method, path, body (text or bytes) and header fields.
BOMBS = {**QUERIES, **BATCHES, **PATCHED}


def fill(server):
    server.ask("POST", "/dbs", '{"id":"d"}')
    server.ask("POST", "/dbs/d/colls", '{"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"}}')
    for start in range(0, ITEMS, 100):
        made = [{"operationType": "Create", "resourceBody": {"id": f"i{i}", "pk": "p", "n": i, "x": "x" * 100}}
                for i in range(start, start + 100)]
        status, text = server.ask(*batch(made))
        assert status == 200, text
    for item in ({"id": "letters", "x": "a" * LARGE}, {"id": "numbers", "n": 0, "l": [0] * 500_000}):
        status, text = server.ask("POST", DOCS, json.dumps({**item, "pk": "p"}, separators=(",", ":")))
        assert status == 201, text


def fault_of(server, request):
    """What is wrong with the answer to this request, if anything."""
    for _ in range(TRIES):
        seconds, status, body = server.timed(*request)
        if seconds <= LONGEST:
            break
    else:
        return f"took {seconds:.3f} s"
    if status >= 500 or (status >= 400 and len(json.loads(body)["message"]) < 20):
        return f"{status} {body[:200]}"
    return None


def main():
    server = Server(sys.argv[1])
    fill(server)
    faults = {name: fault_of(server, request) for name, request in BOMBS.items()}
    status, _ = server.ask("GET", f"{DOCS}/i0", headers=IN_P)
    faults["the server afterwards"] = None if status == 200 and server.process.poll() is None else "does not answer"
    server.stop()
    wrong = [f"{name}: {fault}" for name, fault in faults.items() if fault]
    print("\n".join(wrong) or f"{len(BOMBS)} bombs survived")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

# A proxy between Mayfly and an endpoint that alters answers.
# cosmos_proxy.py MODE UPSTREAM_PORT: prints the port on which it listens.
#   foreign   there is no /_mayfly
#   busy      every third request is answered with 429
#   ghosts    an item that was read once can be read for ever
#   dies      ends after 40 requests
#   hangs     does not answer the 41st request
#   rubbish   answers about an item are not JSON
#   zero-ttl  a ttl of 0 is accepted, kept and shown; an item with it inherits
#   zero      the same, and a default of 0 is accepted too, as off
import http.client
import http.server
import json
import os
import sys
import threading

mode, upstream = sys.argv[1], int(sys.argv[2])
seen = {}
requests = 0


def without_zero(body):
    """A definition or an item that the endpoint accepts: a ttl of 0 becomes a property that it keeps and ignores."""
    kept = json.loads(body) if body.startswith(b"{") else {}
    for name in ("ttl", "defaultTtl") if mode == "zero" else ("ttl",):
        if type(kept.get(name)) is int and kept[name] == 0:
            del kept[name]
            return json.dumps({**kept, "zero": name}).encode()
    return body


def with_zero(answer):
    """The answer to it, with the 0 in its place."""
    def restored(kept):
        return {**kept, kept.pop("zero"): 0} if "zero" in kept else kept
    return json.dumps(json.loads(answer, object_hook=restored)).encode() if answer else answer


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def answer(self, status, fields, body):
        self.send_response_only(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body)
        self.wfile.flush()

    def passed_on(self, body):
        if not hasattr(self, "connection_up"):
            self.connection_up = http.client.HTTPConnection("127.0.0.1", upstream)
        fields = {name: value for name, value in self.headers.items() if name.lower() != "content-length"}
        self.connection_up.request(self.command, self.path, body, fields)
        answer = self.connection_up.getresponse()
        kept = [(n, v) for n, v in answer.getheaders() if n.lower().startswith("x-ms-") or n.lower() == "content-type"]
        return answer.status, kept, answer.read()

    def handle_one(self):
        global requests
        requests += 1
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if mode == "foreign" and self.path.startswith("/_mayfly"):
            return self.answer(404, [], b"{}")
        if mode == "busy" and requests % 3 == 0:
            return self.answer(429, [("x-ms-retry-after-ms", "1")], b"{}")
        if mode == "dies" and requests > 40:
            os._exit(0)
        if mode == "hangs" and requests > 40:
            threading.Event().wait()
        if mode == "rubbish" and "/docs/" in self.path and self.command != "DELETE":
            return self.answer(200, [], b"rubbish")
        status, fields, answer = self.passed_on(without_zero(body) if mode.startswith("zero") else body)
        if mode.startswith("zero"):
            answer = with_zero(answer)
        if mode == "ghosts" and self.command == "GET" and "/docs/" in self.path:
            key = self.path + self.headers["x-ms-documentdb-partitionkey"]
            if status == 200:
                seen[key] = answer
            elif key in seen:
                status, answer = 200, seen[key]
        self.answer(status, fields, answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()

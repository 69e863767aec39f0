"""Drives `mayfly serve` over sockets: serve.py PROGRAM

The meaning of requests is tested without sockets. Here are limits, bad clients, many clients, start and end.
No test sleeps: each waits for the event itself.
"""

import base64
import email.utils
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import zlib

PROGRAM = sys.argv.pop(1)
CLOCK = b"GET /_mayfly/clock HTTP/1.1\r\nHost: localhost\r\n\r\n"
EMULATOR_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
OWN_KEY = base64.b64encode(b"a key of 32 bytes for these tests").decode()
# The same bytes as the emulators' key in another text: some bits of the last letter are unused.
SAME_AS_EMULATOR_KEY = EMULATOR_KEY.replace("Jw==", "Jx==")


class Server:
    def __init__(self, *options, clock="virtual"):
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--clock", clock, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first_line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/ with", self.first_line).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.settimeout(60)
        return connection

    def ask(self, verb, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(verb, path, body, headers or {})
        response = connection.getresponse()
        answer = response.status, response.read()
        connection.close()
        return answer

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


def read_all(connection):
    received = b""
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            return received
        if not part:
            return received
        received += part


def read_answer(connection):
    """The status and the body of the next answer."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response.status, response.read()


def signed(key, verb, kind, link, at=None):
    date = email.utils.formatdate(time.time() if at is None else at, usegmt=True).lower()
    text = f"{verb}\n{kind}\n{link}\n{date}\n\n".encode()
    signature = base64.b64encode(hmac.new(base64.b64decode(key), text, hashlib.sha256).digest()).decode()
    return {"x-ms-date": date, "authorization": urllib.parse.quote("type=master&ver=1.0&sig=" + signature, safe="")}


def refusal(*options):
    port = [] if "--port" in options else ["--port", "0"]
    done = subprocess.run([PROGRAM, "serve", *port, *options], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


class Starting(unittest.TestCase):
    def test_it_says_where_it_listens_and_how_to_use_it(self):
        with Server() as server:
            self.assertEqual(server.first_line, f"mayfly serves http://127.0.0.1:{server.port}/ with a virtual clock at "
                                                "1700000000 (2023-11-14T22:13:20Z)\n")
            self.assertIn("well-known key", server.process.stdout.readline())
            hints = [server.process.stdout.readline() for _ in range(3)]
            self.assertEqual(hints[2], "to ask it with curl, without signatures: start it with --no-auth\n")
        with Server("--no-auth", clock="real") as server:
            hints = [server.process.stdout.readline() for _ in range(3)]
            self.assertEqual(hints[2], f"ask it with curl: curl http://127.0.0.1:{server.port}/dbs\n")
        with Server(clock="virtual@2030-01-31") as server:
            self.assertIn("at 1896048000 (2030-01-31T00:00:00Z)", server.first_line)

    def test_both_signals_end_it_cleanly(self):
        for how in signal.SIGTERM, signal.SIGINT:
            with Server() as server:
                idle, half = server.connect(), server.connect()
                half.sendall(b"GET / HT")
                self.assertEqual(server.ask("GET", "/_mayfly/clock")[0], 200)
                self.assertEqual(server.end(how), (0, ""))
                self.assertEqual(read_all(idle), b"")
        with Server() as server:
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.end(signal.SIGTERM), (0, ""))

    def test_a_server_that_other_machines_reach_needs_its_own_key(self):
        for options in ["--listen", "0.0.0.0"], ["--listen", "::", "--no-auth"], \
                ["--listen", "0.0.0.0", "--key", EMULATOR_KEY], ["--listen", "0.0.0.0", "--key", SAME_AS_EMULATOR_KEY]:
            code, message = refusal(*options)
            self.assertEqual(code, 2)
            self.assertIn("needs a --key of your own", message)
        for key in "====", "=" * 48, OWN_KEY + "\n   ", " " + OWN_KEY[1:], OWN_KEY[:4] + "==" + OWN_KEY[6:]:
            code, message = refusal("--listen", "0.0.0.0", "--key", key)
            self.assertEqual(code, 2)
            self.assertIn("a key must be base64 text", message)
        for key in "AAAA", base64.b64encode(b"31 bytes are one less than that").decode():
            code, message = refusal("--listen", "0.0.0.0", "--key", key)
            self.assertEqual(code, 2)
            self.assertIn("bytes, and needs 32", message)
        with Server("--listen", "0.0.0.0", "--key", OWN_KEY) as server:
            self.assertEqual(server.ask("GET", "/_mayfly/clock")[0], 401)

    def test_bad_options_are_named(self):
        taken = socket.create_server(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
        for text, options in {
            '--listen: "localhost" is not a numeric address': ["--listen", "localhost"],
            "a key must be base64": ["--key", "secret!"],
            "--key and --no-auth": ["--key", OWN_KEY, "--no-auth"],
            "--clock must be real, virtual": ["--clock", "fake"],
            "got \"virtual@soon\"": ["--clock", "virtual@soon"],
            "--port must be": ["--port", "65536"],
            f"cannot listen on 127.0.0.1 port {port}": ["--port", port],
            "cannot use": ["--data", "/nowhere/data"],
        }.items():
            code, message = refusal(*options)
            self.assertEqual(code, 2, options)
            self.assertIn(text, message)
            self.assertEqual(message.count("\n"), 1)


class Asking(unittest.TestCase):
    def test_signatures(self):
        with Server() as server:
            good = signed(EMULATOR_KEY, "get", "dbs", "", 1_700_000_000)
            self.assertEqual(server.ask("GET", "/dbs", headers=good)[0], 200)
            self.assertEqual(server.ask("GET", "/dbs/x", headers=good)[0], 401)
            self.assertEqual(server.ask("GET", "/dbs", headers=signed(OWN_KEY, "get", "dbs", ""))[0], 401)
            status, body = server.ask("GET", "/dbs")
            self.assertEqual((status, json.loads(body)["code"]), (401, "Unauthorized"))
        with Server("--key", OWN_KEY) as server:
            move = signed(OWN_KEY, "post", "advance", "_mayfly/clock")
            self.assertEqual(server.ask("POST", "/_mayfly/clock/advance", '{"seconds":1}')[0], 401)
            self.assertEqual(server.ask("POST", "/_mayfly/clock/advance", '{"seconds":1}', move)[0], 200)
            late = signed(OWN_KEY, "post", "advance", "_mayfly/clock", time.time() - 1000)
            self.assertEqual(server.ask("POST", "/_mayfly/clock/advance", '{"seconds":1}', late)[0], 403)
            elsewhere = {**move, "Origin": "http://evil.example"}
            self.assertEqual(server.ask("POST", "/_mayfly/clock/advance", '{"seconds":1}', elsewhere)[0], 403)
        with Server("--no-auth") as server:
            self.assertEqual(server.ask("GET", "/dbs")[0], 200)

    def test_a_page_of_another_site_cannot_drive_it(self):
        with Server() as server:
            headers = {"Origin": "http://evil.example", "Content-Type": "text/plain"}
            self.assertEqual(server.ask("POST", "/_mayfly/reset", "", headers)[0], 403)
            self.assertEqual(server.ask("POST", "/_mayfly/reset", "", {"Host": "evil.example"})[0], 403)

    def test_a_kill_loses_nothing_that_was_answered(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ["--no-auth", "--data", os.path.join(folder, "data")]
            with Server(*options) as server:
                server.ask("POST", "/dbs", '{"id":"d"}')
                server.ask("POST", "/dbs/d/colls", '{"id":"c","defaultTtl":10}')
                for i in range(50):
                    self.assertEqual(server.ask("POST", "/dbs/d/colls/c/docs", json.dumps({"id": str(i)}))[0], 201)
                server.ask("POST", "/_mayfly/clock/advance", '{"seconds":9}')
                self.assertEqual(server.end(signal.SIGKILL)[0], -signal.SIGKILL)
            with Server(*options) as server:
                _, body = server.ask("GET", "/dbs/d/colls/c/docs")
                self.assertEqual(json.loads(body)["_count"], 50)
                server.ask("POST", "/_mayfly/clock/advance", '{"seconds":1}')
                _, body = server.ask("GET", "/dbs/d/colls/c/docs")
                self.assertEqual(json.loads(body)["_count"], 0)

    def test_a_token_of_another_server_is_refused(self):
        def first_page(server, token=""):
            server.ask("POST", "/dbs", '{"id":"d"}')
            server.ask("POST", "/dbs/d/colls", '{"id":"c"}')
            for i in range(3):
                server.ask("POST", "/dbs/d/colls/c/docs", json.dumps({"id": str(i)}))
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("GET", "/dbs/d/colls/c/docs", None, {"x-ms-max-item-count": "1", "x-ms-continuation": token})
            response = connection.getresponse()
            response.read()
            connection.close()
            return response.status, response.getheader("x-ms-continuation")
        with Server("--no-auth") as server:
            status, token = first_page(server)
            self.assertEqual((status, first_page(server, token)[0]), (200, 200))
        with Server("--no-auth") as server:
            self.assertEqual(first_page(server, token)[0], 400)

    def test_a_file_keeps_to_the_kind_of_its_clock(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind, other in ("virtual", "real"), ("real", "virtual"):
                data = os.path.join(folder, kind)
                with Server("--data", data, clock=kind) as server:
                    server.end()
                code, message = refusal("--data", data, "--clock", other)
                self.assertEqual((code, message.count("\n")), (2, 1))
                self.assertIn(f"was written with a {kind} clock: give --clock {kind}", message)
                with Server("--data", data, clock=kind) as server:
                    self.assertEqual(server.ask("POST", "/_mayfly/reset")[0], 200)
                    self.assertEqual(server.end()[0], 0)
                self.assertEqual(refusal("--data", data, "--clock", other)[0], 2)

    def test_a_file_goes_on_at_its_own_time(self):
        def now(server):
            return json.loads(server.ask("GET", "/_mayfly/clock")[1])["now"]
        with tempfile.TemporaryDirectory() as folder:
            options = ["--no-auth", "--data", os.path.join(folder, "data")]
            with Server(*options, clock="virtual@2020-01-01") as server:
                start = now(server)
                server.ask("POST", "/dbs", '{"id":"d"}')
                server.ask("POST", "/dbs/d/colls", '{"id":"c","defaultTtl":2592000}')
                server.ask("POST", "/dbs/d/colls/c/docs", '{"id":"a"}')
                server.end()
            for clock in "virtual", "virtual@2020-01-01", "virtual@1577836800":
                with Server(*options, clock=clock) as server:
                    self.assertEqual(now(server), start)
                    self.assertEqual(server.ask("GET", "/dbs/d/colls/c/docs/a")[0], 200)
                    server.end()
            code, message = refusal(*options, "--clock", "virtual@2021-01-01")
            self.assertEqual((code, message.count("\n")), (2, 1))
            self.assertIn("has reached 1577836800 (2020-01-01T00:00:00Z), and a start time is for a new file", message)
            database = sqlite3.connect(options[-1])
            database.execute("DELETE FROM facts WHERE name LIKE 'clock%'")
            database.commit()
            database.close()
            with Server(*options, clock="virtual") as server:
                self.assertEqual(now(server), start)
                server.ask("POST", "/_mayfly/reset", '{"now":1000000}')
                server.end()
            for clock in "virtual", "virtual@1000000":
                with Server(*options, clock=clock) as server:
                    self.assertEqual(now(server), 1000000)
                    server.end()

    def test_a_file_that_goes_away_takes_no_more_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            with Server("--no-auth", "--data", data) as server:
                self.assertEqual(server.ask("POST", "/dbs", '{"id":"d"}')[0], 201)
                os.remove(data)
                self.assertEqual(server.ask("POST", "/dbs", '{"id":"e"}')[0], 503)
                self.assertEqual(server.ask("GET", "/dbs/d")[0], 200)
                self.assertEqual(server.ask("GET", "/dbs/e")[0], 404)
                self.assertEqual(server.end()[0], 0)

    def test_a_log_that_was_cut_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            with Server("--no-auth", "--data", data) as server:
                server.ask("POST", "/dbs", '{"id":"d"}')
                server.end(signal.SIGKILL)
            os.truncate(data + "-wal", os.path.getsize(data + "-wal") - 1)
            with Server("--no-auth", "--data", data) as server:
                self.assertIn("the latest writes are missing", server.end()[1])
            with Server("--no-auth", "--data", data) as server:
                self.assertEqual(server.end(), (0, ""))

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root may write to every file, and setpriv is missing")
    def test_a_file_that_may_only_be_read_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            data = os.path.join(folder, "data")
            with Server("--data", data) as server:
                server.end()
            os.chmod(data, 0o444)
            program = [PROGRAM]
            if os.geteuid() == 0:  # another user may not reach the program where it is
                copy = shutil.copy(PROGRAM, os.path.join(folder, "mayfly"))
                os.chmod(copy, 0o755)
                program = ["setpriv", "--reuid", "65534", "--clear-groups", copy]
            done = subprocess.run([*program, "serve", "--port", "0", "--clock", "virtual", "--data", data],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (2, f"mayfly: cannot use {data}: it is read-only\n"))


class BadClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-auth")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def tearDown(self):
        self.assertEqual(self.server.ask("GET", "/_mayfly/clock")[0], 200)

    def assert_refused(self, sent, status):
        connection = self.server.connect()
        connection.sendall(sent)
        answer = read_all(connection)
        self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), answer[:200])
        self.assertIn("message", json.loads(answer.split(b"\r\n\r\n", 1)[1]))

    def test_what_is_no_http(self):
        for sent in b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n", b"hello\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n":
            self.assert_refused(sent, 400)

    def test_a_header_without_end(self):
        self.assert_refused(b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 10_000, 431)

    def test_a_body_that_is_too_long_is_refused_while_it_is_still_sent(self):
        connection = self.server.connect()
        connection.sendall(b"POST /dbs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
        try:
            for _ in range(50):
                connection.sendall(b" " * 1_000_000)
        except OSError:
            pass
        self.assertTrue(read_all(connection).startswith(b"HTTP/1.1 413 "))

    def test_an_incomplete_request_changes_nothing(self):
        for sent in b"POST /d", b"POST /dbs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{\"id\":\"half\"}":
            connection = self.server.connect()
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            read_all(connection)
        self.assertEqual(self.server.ask("GET", "/dbs/half")[0], 404)

    def test_many_requests_in_one_go_are_answered_in_order(self):
        connection = self.server.connect()
        count = 2000
        connection.sendall(b"".join(b"GET /dbs/%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % i for i in range(count)))
        connection.shutdown(socket.SHUT_WR)
        answers = read_all(connection)
        self.assertEqual(answers.count(b"HTTP/1.1 404 "), count)
        self.assertEqual([int(i) for i in re.findall(rb"no database '(\d+)'", answers)], list(range(count)))

    def test_a_client_that_takes_no_answers_does_not_keep_others_waiting(self):
        connection = self.server.connect()
        connection.setblocking(False)
        try:
            while True:
                connection.send(CLOCK * 1000)
        except BlockingIOError:
            pass
        self.assertEqual(self.server.ask("GET", "/_mayfly/clock")[0], 200)

    def test_a_thousand_connections(self):
        connections = [self.server.connect() for _ in range(1000)]
        for connection in connections:
            connection.sendall(CLOCK)
        for connection in connections:
            self.assertEqual(read_answer(connection)[0], 200)
        for connection in connections:
            connection.close()


class Limits(unittest.TestCase):
    def test_a_connection_without_traffic_is_closed(self):
        with Server("--idle", "1s") as server:
            silent, half = server.connect(), server.connect()
            half.sendall(b"GET /dbs HTTP/1.1\r\nHost")
            self.assertEqual(read_all(silent), b"")
            self.assertTrue(read_all(half).startswith(b"HTTP/1.1 408 "))
            self.assertEqual(server.ask("GET", "/_mayfly/clock")[0], 200)

    def steadily(self, idle, step):
        """Calls step for longer than the limit. Returns whether all pauses were well below it, or the test proves nothing."""
        start = last = time.monotonic()
        longest = 0
        while last - start < 1.5 * idle:
            step()
            select.select([], [], [], 0.02)
            now = time.monotonic()
            longest, last = max(longest, now - last), now
        return longest < idle / 2

    def test_a_steady_upload_is_not_cut_off(self):
        with Server("--idle", "1s", "--no-auth") as server:
            for _ in range(10):
                connection = server.connect()
                connection.sendall(b"POST /dbs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
                sent, was_steady = 0, False

                def one_more():
                    nonlocal sent
                    connection.sendall(b" ")
                    sent += 1
                try:
                    was_steady = self.steadily(1, one_more)
                    connection.sendall(b" " * (999 - sent - 10) + b'"id":"d" }')
                    status = read_answer(connection)[0]
                except (OSError, http.client.HTTPException):
                    status = "cut off"
                connection.close()
                if was_steady or status == 201:
                    return self.assertEqual(status, 201)
            self.skipTest("this machine pauses for too long")

    def test_a_request_in_two_segments_around_the_limit_is_answered(self):
        """The first segment comes when half of the limit has passed, and the second when the limit has."""
        def pause(seconds):
            start = time.monotonic()
            select.select([], [], [], seconds)
            return time.monotonic() - start
        with Server("--idle", "1s") as server:
            for _ in range(10):
                connection = server.connect()
                longest = pause(0.6)
                try:
                    connection.sendall(CLOCK[:10])
                    longest = max(longest, pause(0.6))
                    connection.sendall(CLOCK[10:])
                    status = read_answer(connection)[0]
                except (OSError, http.client.HTTPException):
                    status = "cut off"
                connection.close()
                if longest < 0.75 or status == 200:
                    return self.assertEqual(status, 200)
            self.skipTest("this machine pauses for too long")

    def test_a_steady_reader_is_not_cut_off(self):
        with Server("--idle", "1s", "--no-auth") as server:
            server.ask("POST", "/dbs", '{"id":"d"}')
            server.ask("POST", "/dbs/d/colls", '{"id":"c"}')
            for i in range(4):
                item = json.dumps({"id": str(i), "x": "x" * 1_900_000})
                self.assertEqual(server.ask("POST", "/dbs/d/colls/c/docs", item)[0], 201)
            for _ in range(10):
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
                connection.settimeout(60)
                connection.connect(("127.0.0.1", server.port))
                connection.sendall(b"GET /dbs/d/colls/c/docs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                   b"x-ms-max-item-count: -1\r\n\r\n")
                received = []
                was_steady = self.steadily(1, lambda: received.append(len(connection.recv(30_000))))
                received.append(len(read_all(connection)))
                connection.close()
                if was_steady or sum(received) > 3_800_000:
                    return self.assertGreater(sum(received), 3_800_000)
            self.skipTest("this machine pauses for too long")

    def test_a_client_of_http_1_0_learns_whether_the_connection_stays(self):
        with Server("--no-auth") as server:
            connection = server.connect()
            for _ in range(2):
                connection.sendall(b"GET /_mayfly/clock HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                response = http.client.HTTPResponse(connection)
                response.begin()
                self.assertEqual(response.getheader("connection"), "keep-alive")
                response.read()
            connection.sendall(b"GET /_mayfly/clock HTTP/1.0\r\n\r\n")
            self.assertIn(b"connection: close\r\n", read_all(connection))

    def test_one_connection_too_many_gets_a_503(self):
        with Server("--connections", "3") as server:
            connections = [server.connect() for _ in range(3)]
            for connection in connections:
                connection.sendall(CLOCK)
                self.assertEqual(read_answer(connection)[0], 200)
            refused = read_all(server.connect())
            self.assertTrue(refused.startswith(b"HTTP/1.1 503 "), refused)
            connections.pop().close()
            while server.ask("GET", "/_mayfly/clock")[0] == 503:
                pass  # until the server has noticed
            connections[0].sendall(CLOCK)
            self.assertEqual(read_answer(connections[0])[0], 200)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        os.environ["XDG_DATA_HOME"] = cls.folder.name
        with Server("--tls"):
            pass
        cls.certificate = os.path.join(cls.folder.name, "mayfly", "certificate.pem")
        cls.key = os.path.join(cls.folder.name, "mayfly", "key.pem")
        cls.context = ssl.create_default_context(cafile=cls.certificate)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def connect(self, server, name="localhost"):
        return self.context.wrap_socket(server.connect(), server_hostname=name)

    def ask(self, server, request):
        with self.connect(server) as connection:
            connection.sendall(request)
            return read_answer(connection)

    def test_its_own_certificate_is_made_once_and_kept(self):
        with open(self.certificate, encoding="ascii") as file:
            before = file.read()
        self.assertEqual(os.stat(self.key).st_mode & 0o777, 0o600)
        with Server("--tls") as server:
            self.assertTrue(server.first_line.startswith("mayfly serves https://127.0.0.1:"))
            server.process.stdout.readline()
            self.assertEqual(server.process.stdout.readline(),
                             "let clients trust its certificate: export " +
                             " ".join(f"{name}={self.certificate}" for name in
                                      ("NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")) + "\n")
            for name in "localhost", "127.0.0.1", "::1":
                with self.connect(server, name) as connection:
                    connection.sendall(CLOCK)
                    self.assertEqual(read_answer(connection)[0], 200)
            with self.assertRaises(ssl.SSLCertVerificationError):
                self.connect(server, "elsewhere.example")
        with open(self.certificate, encoding="ascii") as file:
            self.assertEqual(file.read(), before)

    def test_the_account_names_the_scheme_that_the_client_used(self):
        def endpoint(answer):
            return json.loads(answer[1])["writableLocations"][0]["databaseAccountEndpoint"]
        account = "GET / HTTP/1.1\r\nHost: localhost:1\r\n{}\r\n"
        with Server("--tls", "--no-auth") as server:
            self.assertEqual(endpoint(self.ask(server, account.format("").encode())), "https://localhost:1/")
            own = account.format("X-Forwarded-Proto: http\r\n").encode()
            self.assertEqual(endpoint(self.ask(server, own)), "http://localhost:1/")
        with Server("--no-auth") as server:
            for forwarded, expected in ("https", "https"), ("HTTPS, http", "https"), ("gopher", "http"), ("", "http"):
                _, body = server.ask("GET", "/", headers={"X-Forwarded-Proto": forwarded, "Host": "localhost:1"})
                self.assertEqual(endpoint((200, body)), expected + "://localhost:1/")

    def test_requests_and_answers_of_every_size(self):
        with Server("--tls", "--no-auth") as server, self.connect(server) as connection:
            def post(path, value):
                body = json.dumps(value)
                connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                                   .encode())
                return read_answer(connection)
            self.assertEqual(post("/dbs", {"id": "d"})[0], 201)
            self.assertEqual(post("/dbs/d/colls", {"id": "c", "partitionKey": {"paths": ["/id"]}})[0], 201)
            for size in 1, 8000, 8192, 16384, 70000, 2_000_000:
                status, body = post("/dbs/d/colls/c/docs", {"id": str(size), "x": "y" * size})
                self.assertEqual((status, json.loads(body)["x"]), (201, "y" * size))
            connection.sendall(CLOCK * 3000 + CLOCK[:-2] + b"Connection: close\r\n\r\n")  # many in a record
            self.assertEqual(read_all(connection).count(b"HTTP/1.1 200 OK"), 3001)

    def test_what_is_no_handshake_gets_one_answer_or_none(self):
        with Server("--tls", "--idle", "1s") as server:
            with server.connect() as plain:
                plain.sendall(CLOCK)
                answer = read_all(plain)
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
                self.assertIn(b"This port speaks https", answer)
            stalled = server.connect()
            hello = bytes.fromhex("16030100c0010000bc0303") + bytes(range(32))
            stalled.sendall(hello)
            wild_bytes = random.Random(1)
            for _ in range(100):
                with server.connect() as wild:
                    wild.sendall(wild_bytes.choice([b"\x16\x03\x01", b"\x16", hello, b"\x80"]) + wild_bytes.randbytes(300))
            self.assertEqual(self.ask(server, CLOCK)[0], 200)
            with self.connect(server) as cut:  # a record that was changed on its way
                raw = socket.socket(fileno=os.dup(cut.fileno()))
                raw.settimeout(60)
                raw.sendall(b"\x17\x03\x03\x00\x20" + bytes(32))
                self.assertNotIn(b"HTTP/1.1", read_all(raw))
                raw.close()
            self.assertEqual(read_all(stalled), b"")  # closed after a second
            self.assertEqual(self.ask(server, CLOCK)[0], 200)
            self.assertEqual(server.end(), (0, ""))

    def test_a_handshake_on_a_port_of_plain_http_fails(self):
        with Server() as server:
            with self.assertRaises(ssl.SSLError):
                self.connect(server)
            self.assertEqual(server.ask("GET", "/_mayfly/clock")[0], 200)

    def test_bad_certificates_are_named(self):
        def file(name, text):
            path = os.path.join(self.folder.name, name)
            with open(path, "w", encoding="ascii") as new:
                new.write(text)
            return path
        garbled = file("garbled.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        other = os.path.join(self.folder.name, "other")
        os.mkdir(other)
        os.environ["XDG_DATA_HOME"] = other
        with Server("--tls"):
            pass
        os.environ["XDG_DATA_HOME"] = self.folder.name
        other_key = os.path.join(other, "mayfly", "key.pem")
        nowhere = os.path.join(self.folder.name, "nowhere.pem")
        for certificate, key, text in [
                (nowhere, self.key, f"the certificate {nowhere}: No such file"),
                (self.certificate, nowhere, f"the key {nowhere}: No such file"),
                (garbled, self.key, f"the certificate {garbled}: "), (self.key, self.key, "the certificate "),
                (self.certificate, garbled, f"the key {garbled}: "), (self.certificate, self.certificate, "the key "),
                (self.certificate, other_key, f"the key {other_key}: key values mismatch"),
                (self.folder.name, self.key, f"the certificate {self.folder.name}: ")]:
            code, message = refusal("--tls-certificate", certificate, "--tls-key", key)
            self.assertEqual((code, message.count("\n")), (2, 1), message)
            self.assertIn(text, message)
        for options in ["--tls-certificate", self.certificate], ["--tls", "--tls-key", self.key]:
            code, message = refusal(*options)
            self.assertEqual(code, 2)
            self.assertIn("--tls-certificate and --tls-key belong together", message)
        with Server("--tls-certificate", self.certificate, "--tls-key", self.key) as server:
            self.assertEqual(self.ask(server, CLOCK)[0], 200)
        os.environ["XDG_DATA_HOME"] = "/proc/nowhere"
        code, message = refusal("--tls")
        os.environ["XDG_DATA_HOME"] = self.folder.name
        self.assertEqual((code, message.count("\n")), (2, 1), message)
        self.assertIn("--tls: cannot make /proc/nowhere/mayfly", message)

    def test_too_many_connections_are_closed(self):
        with Server("--tls", "--connections", "2") as server:
            held = [self.connect(server), self.connect(server)]
            with server.connect() as refused:
                self.assertEqual(read_all(refused), b"")
            for connection in held:
                connection.sendall(CLOCK)
                self.assertEqual(read_answer(connection)[0], 200)


def number(value):
    return value.to_bytes(4, "little")


def hybrid_row(kind, name=b"", body=b""):
    """A record of a batch of the .NET client: an operation on an item."""
    def text(value):
        length, size = b"", len(value)
        while size >= 128:
            length, size = length + bytes([size & 127 | 128]), size >> 7
        return length + bytes([size]) + value
    presence = 3 | (16 if name else 0) | (64 if body else 0)
    row = b"\x81" + number(2145473648) + bytes([presence]) + number(kind) + number(2)
    row += b"".join(text(value) for value in (name, body) if value)
    return b"\x81" + number(2147473649) + number(len(row)) + number(zlib.crc32(row)) + row


class Bombs(unittest.TestCase):
    """Requests that are small, and would take much memory or time if they were not bounded."""
    segment = b"\x81" + number(2147473648) + b"\x01" + number(10)

    def setUp(self):
        with open(PROGRAM, "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("the sanitizer itself takes more memory than the limit")
        limit = 512 * 1024 * 1024
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
        self.server = Server("--no-auth")
        resource.setrlimit(resource.RLIMIT_AS, before)
        self.addCleanup(self.server.__exit__)
        self.server.ask("POST", "/dbs", '{"id":"d"}')
        self.server.ask("POST", "/dbs/d/colls", '{"id":"c","partitionKey":{"paths":["/pk"]}}')

    def ask(self, verb, body=None, headers=None):
        return self.server.ask(verb, "/dbs/d/colls/c/docs", body, headers)

    def test_batches(self):
        self.ask("POST", json.dumps({"id": "large", "pk": "p", "x": "x" * 1_900_000}))
        self.ask("POST", json.dumps({"id": "list", "pk": "p", "x": [1] * 600_000}))
        deep = b'{"id":"q","pk":"p","x":' + b"[" * 900_000 + b"]" * 900_000 + b"}"
        for rows in (hybrid_row(2, b"large") * 100, hybrid_row(1, b"large", b'[{"op":"remove","path":"/no"}]') * 100,
                     hybrid_row(1, b"list", b'[{"op":"add","path":"/y","value":1}]') * 100, hybrid_row(2, b"x") * 10_000,
                     hybrid_row(0, b"", deep), hybrid_row(2, b"i" * 2_000_000),
                     b"\x81" + number(2147473649) + number(0xffffffff) * 2):
            for atomic in "True", "False":
                status, body = self.ask("POST", self.segment + rows, {
                    "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": atomic,
                    "x-ms-documentdb-partitionkey": '["p"]'})
                self.assertIn(status, (207, 400, 413))
                self.assertLess(len(body), 2_500_000)
        self.assertEqual(self.server.ask("GET", "/dbs")[0], 200)

    def test_change_feeds(self):
        for i in range(40):
            self.ask("POST", json.dumps({"id": str(i), "pk": "p", "x": "x" * 1_900_000}))
        for most in "-1", "9223372036854775807":
            status, body = self.ask("GET", headers={"A-IM": "Incremental Feed", "x-ms-max-item-count": most})
            self.assertEqual(status, 200)
            self.assertLess(len(body), 7_000_000)


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    unittest.main(warnings="ignore", verbosity=2)

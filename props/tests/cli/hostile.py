"""A target that answers hello, then fails by its mode: hostile.py MODE [FEATURE,...]"""
import json, os, subprocess, sys, time
mode = sys.argv[1]
features = sys.argv[2].split(",") if len(sys.argv) > 2 else []
say = lambda answer: print(json.dumps(answer), flush=True)
input()
say({"status": 200, "features": features})
for line in sys.stdin:
    request = json.loads(line)
    ok = [{"status": 200} for _ in request] if type(request) is list else {"status": 200}
    if mode == "exits": print("out of luck", file=sys.stderr, flush=True); sys.exit(7)
    if mode == "exits-half": print('{"status":', end="", flush=True); sys.exit(0)
    if mode == "crashes": os.abort()
    if mode == "closes": os.close(1); time.sleep(1000)
    if mode == "hangs": time.sleep(1000)
    if mode == "unflushed": print('{"status":200}')
    if mode == "rubbish": print("rubbish \x1b[31m", flush=True)
    if mode == "not-utf-8": sys.stdout.buffer.write(b"\xff\xfe\n"); sys.stdout.flush()
    if mode == "wrong-type": say({"status": "fine"})
    if mode == "no-status": say({})
    if mode == "no-object": say(7)
    if mode == "unknown-field": say({"status": 200, "statsu": 200})
    if mode == "unknown-status": say({"status": 799})
    if mode == "fails-reset": say({"status": 500})
    if mode == "too-few": say(ok[1:])
    if mode == "too-many": say(ok + ok)
    if mode == "no-list": say({"status": 200})
    if mode == "two-lines": print('{"status":200}\n{"status":200}', flush=True)
    if mode == "100-mb": print("x" * 100_000_000, flush=True)
    if mode == "endless":
        while True: print("x" * 1_000_000, end="", flush=True)
    if mode == "noisy":
        while True: print("x" * 1_000, file=sys.stderr, flush=True)
    if mode == "leaves-a-child": subprocess.Popen(["sleep", "1000"]); sys.exit(0)
    if mode == "after-exit": subprocess.Popen(["sh", "-c", "cat; echo hello"], stdin=subprocess.PIPE); sys.exit(0)

#!/usr/bin/env bash
# Report pages in a browser: pages.sh PROGRAM DEFECTIVE_PROGRAM
sound=$1
defective=$2
tests=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=props/tests/cli/driving.sh
source "$tests/driving.sh"

# opens PAGE ABOUT OPTION...: opens the page in a browser without a display, with the probe at its end.
opens() {
  local page=$1 about=$2
  [ "$(wc -c <"$page")" -lt 300000 ] || fail "$page has $(wc -c <"$page") bytes"
  ! grep -oE '(src|href)="[^#]|@import|https?://[^"'"'"' ]*' "$page" | grep -v 'http://www.w3.org/2000/svg' >links ||
    fail "$page names something outside: $(cat links)"
  python3 - "$page" "$tests/page_probe.js" <<'END'
import sys
page, probe = (open(path, encoding='utf-8').read() for path in sys.argv[1:])
# First in the page, so that every problem is noticed: a policy applies to what follows it.
notice = '''<script>
const problems = [];
addEventListener('error', event => problems.push(event.message));
addEventListener('unhandledrejection', event => problems.push(String(event.reason)));
addEventListener('securitypolicyviolation', event => problems.push('blocked: ' + event.blockedURI));
console.error = console.warn = (...words) => problems.push(words.join(' '));
</script>'''
assert page.count('<head>') == 1 and page.rstrip().endswith('</body>\n</html>')
page = page.replace('<head>', '<head>' + notice).replace('</body>\n</html>', f'<script type="module">{probe}</script></body></html>')
open(sys.argv[1] + '.probed.html', 'w', encoding='utf-8').write(page)
END
  timeout 120 chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$here/profile" \
    --virtual-time-budget=5000 --dump-dom "${@:3}" "file://$here/$page.probed.html#$about" >dom 2>log ||
    fail "the browser fails: $(tail -n 5 log)"
  grep -q '<pre id="probe">as it should be</pre>' dom ||
    fail "$page, $about: $(sed -n '/<pre id="probe">/,/<\/pre>/p' dom | head -n 20)$(grep CONSOLE log)"
}

# Both kinds of axis, which need no browser.
node - "$tests/../../../sim/viewer/timeline.js" >out 2>&1 <<'END' || fail "an axis misplaces: $(cat out)"
const assert = require('assert');
const source = require('fs').readFileSync(process.argv[2], 'utf8');
const { countdownAxis, columnAxis, shortLabel } = new Function(`${source}; return { countdownAxis, columnAxis, shortLabel };`)();
for (const latest of [5, 60, 7776000, 2147483647]) {
  const { place, valueAt, ticks } = countdownAxis(latest);
  assert.deepStrictEqual([place(0), place(latest), valueAt(0), valueAt(1)], [0, 1, 0, latest]);
  assert.ok(ticks.length >= 2 && ticks.length <= 9, 'too many ticks, or too few');
  for (const { at } of ticks) assert.strictEqual(valueAt(place(at)), at);
}
const columns = columnAxis(['0', null, '1', '+2147483647']);
assert.deepStrictEqual(columns.ticks.map(({ at }) => at), [0, 2, 3]);
assert.strictEqual(columns.place(1), columns.place(2) / 2);
assert.strictEqual(columns.place(4), 1);
assert.ok(columns.place(3) - columns.place(2) < columns.place(4) - columns.place(3), 'a long label has no room');
assert.strictEqual(shortLabel('a\n' + 'b'.repeat(200) + 'z', 9), 'a·bb…bbbz');
END

dark=--blink-settings=preferredColorScheme=0
light=--blink-settings=preferredColorScheme=1

mayfly=$defective
run 1 check --seed 1 --jobs 1 --html violation.html --json violation.json --quiet
opens violation.html violation --window-size=1200,900 $light
run 1 explore --quiet --html explored.html
opens explored.html violation --window-size=1200,900 $light

# A crowd, whose documents are one lane.
{
  echo '{"op":"reset","now":0}'
  echo '{"op":"create_collection","collection":"c0","default_ttl":1}'
  for i in $(seq 0 16); do echo '{"op":"create","collection":"c0","partition":"p0","id":"d'$i'"}'; done
  echo '{"op":"advance","seconds":1}'
  echo '{"op":"query","collection":"c0"}'
} >crowd.jsonl
run 1 replay crowd.jsonl --html crowd.html
says 'create c0/p0/d0 ... d16 (17 documents)' out
opens crowd.html crowd --window-size=1200,900 $light

# A long story with hostile names, on a narrow page.
{
  echo '{"op":"reset","now":1700000000}'
  echo '{"op":"create_collection","collection":"c</script><b>0","default_ttl":1}'
  for i in $(seq 150); do
    echo '{"op":"upsert","collection":"c</script><b>0","partition":"<!-- <img src=x onerror=alert(1)>","id":"\u0007d'$((i % 50))'","ttl":2147483647,"value":"'"$(printf '%01000d' 0)"'"}'
    echo '{"op":"query","collection":"c</script><b>0"}'
  done
  echo '{"op":"create","collection":"c</script><b>0","partition":"é","id":"last"}'
  echo '{"op":"advance","seconds":1}'
  echo '{"op":"read","collection":"c</script><b>0","partition":"é","id":"last"}'
} >long.jsonl
run 1 replay long.jsonl --quiet --html long.html
opens long.html long --window-size=500,900 $dark

# Two stores side by side, as conformance has them: one that fails X1, and one that passes everything.
python3 - <<'END'
import json, re
page = open('violation.html', encoding='utf-8').read()
report = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
def result(store, violations, fails):
    rules = [dict(id=rule['id'], level=rule['level'], sentence=rule['sentence'], checks=rule['times'],
                  verdict='fail' if rule['id'] in fails else 'pass', violation=0 if rule['id'] in fails else None)
             for rule in report['exercised']['rules']]
    return dict(format='mayfly-result', version=2, command='conform', store=store, rules=rules, violations=violations)
stores = [result('late', report['violations'], ['X1', 'X2']), result('sound', [], [])]
data = json.dumps(dict(title='Two stores', conformance=stores, violations=[])).replace('<', '\\u003c')
open('matrix.html', 'w', encoding='utf-8').write(
    re.sub(r'(id="data">).*?(</script>)', lambda match: match.group(1) + data + match.group(2), page, count=1, flags=re.S))
END
opens matrix.html matrix --window-size=1000,900 $dark

mayfly=$sound
run 0 check --seed 1 --cases 200 --quiet --html held.html
opens held.html held --window-size=500,900 $light

finish 'pages work'

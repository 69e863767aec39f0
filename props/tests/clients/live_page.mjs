// The page of a running server in a browser: items come from the service's own client, mouse and keys from the browser.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { days, hours, startMayfly } from '../../examples/mayfly.mjs';
import { openBrowser } from './browser.mjs';
import { CosmosClient, answered, serve } from './cosmos.mjs';

let mayfly, browser, container;

before(async () => {
  // Names that point at this machine, as those of an attacker's name server do (DNS rebinding).
  const rebound = '--host-resolver-rules=MAP *.evil.example 127.0.0.1';
  [mayfly, browser] = await Promise.all([serve('virtual@2024-02-28'), openBrowser('--window-size=1200,900', rebound)]);
});
after(async () => { await Promise.all([browser.close(), mayfly.stop()]); });

beforeEach(async () => {
  await mayfly.reset();
  const { database } = await mayfly.client.databases.create({ id: 'shop' });
  ({ container } = await database.containers.create({ id: 'carts', partitionKey: '/user', defaultTtl: days(90) }));
  await container.items.create({ id: 'cart', user: 'alice' });
  await container.items.create({ id: 'code', user: 'alice', ttl: 60 });
  await container.items.create({ id: '<b>kept', user: 'bob', ttl: -1 });
});

const open = async (server = mayfly) => {
  browser.problems.length = 0;
  await browser.open(`${server.endpoint}_mayfly`);
};
const read = async (id, user = 'alice') => (await answered(container.item(id, user).read())).status;
const lanes = (...ids) => `JSON.stringify([...document.querySelectorAll('.lane')].map(lane => lane.getAttribute('aria-label').split(' ')[0]))
    === ${JSON.stringify(JSON.stringify(ids))}`;
const all = lanes('alice/code', 'alice/cart', 'bob/<b>kept');
const says = (id, text) => `document.getElementById('${id}').textContent.includes(${JSON.stringify(text)})`;
const isDisabled = (id) => browser.evaluate(`document.getElementById('${id}').matches(':disabled')`);
/// The middle of the slider's thumb where it stands for a part of the way.
const onSlider = (share) => browser.evaluate(`(() => {
  const { left, right, top, height } = document.getElementById('slider').getBoundingClientRect();
  return [left + 11 + ${share} * (right - left - 22), top + height / 2];
})()`);
const click = async (selector) => {
  const place = await browser.evaluate(`(() => {
    const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  })()`);
  await browser.drag(place, place);
};
const keys = { right: { key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 },
               enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 },
               escape: { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 } };

test('it shows what is there, the next to expire first, and fits', async () => {
  await open();
  await browser.until(all);
  assert.equal(await browser.evaluate('location.pathname'), '/_mayfly/');
  assert.equal(await browser.evaluate('document.querySelectorAll(".container b").length'), 0, 'names became markup');
  const ends = await browser.evaluate('[...document.querySelectorAll("line.end")].map(line => line.x1.baseVal.value)');
  assert.ok(ends.length === 2 && ends[0] < ends[1], `bars end at ${ends}`);
  for (const width of [400, 1200]) {
    await browser.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false });
    assert.ok(await browser.evaluate('document.documentElement.scrollWidth <= innerWidth'), `too wide for ${width}`);
  }
  const nameless = await browser.evaluate(`[...document.querySelectorAll('button, input, select')].filter(element =>
      !(element.ariaLabel ?? element.textContent).trim() && !element.labels?.length).map(({ id }) => id)`);
  assert.deepEqual(nameless, []);
  assert.deepEqual(browser.problems, []);
});

test('the slider, once released, moves the clock: the bar is gone and a read answers 404', async () => {
  await open();
  await browser.until(all);
  const start = await mayfly.now();
  assert.equal(await read('code'), 200);
  await browser.drag(await onSlider(0), await onSlider(0.6));
  await browser.until(lanes('alice/cart', 'bob/<b>kept'));
  const moved = await mayfly.now() - start;
  assert.ok(moved > hours(1) && moved < days(30), `moved by ${moved} s`);
  assert.deepEqual([await read('code'), await read('cart')], [404, 200]);
  await browser.until(says('message', '1 item expired'));
  await browser.drag(await onSlider(0), await onSlider(1));
  await browser.until(lanes('bob/<b>kept'));
  assert.equal(await mayfly.now() - start, days(90));
  assert.deepEqual([await read('cart'), await read('<b>kept', 'bob')], [404, 200]);
  assert.ok(await isDisabled('slider'), 'there is nothing left to slide to');
});

test('keys only choose a time, until Enter moves the clock or Escape cancels', async () => {
  await open();
  await browser.until(all);
  const start = await mayfly.now();
  await browser.evaluate('document.getElementById("slider").focus()');
  await browser.press(keys.right);
  await browser.until(says('preview', 'of these items expire'));
  await browser.press(keys.escape);
  await browser.until('document.getElementById("preview").textContent === ""');
  await browser.press(keys.right);
  assert.equal(await mayfly.now(), start);
  await browser.press(keys.enter);
  await browser.until(`!${says('mode', `second ${start}`)}`);
  assert.ok(await mayfly.now() > start);
});

test('buttons and the number move the clock, one of them to the next expiry', async () => {
  await open();
  await browser.until(all);
  const start = await mayfly.now();
  await click('[data-seconds="1"]');
  await browser.until(says('next', 'in 59 s'));
  await browser.evaluate('document.getElementById("seconds").value = "9"');
  await click('#by button');
  await browser.until(says('next', 'in 50 s'));
  await click('#next');
  await browser.until(lanes('alice/cart', 'bob/<b>kept'));
  assert.equal(await mayfly.now(), start + 60);
  assert.equal(await read('code'), 404);
});

// Chooses by mouse and keys, except in the list of words, which the browser draws outside of the page.
const choose = async (word, seconds) => {
  await browser.evaluate(`(() => {
    const mode = document.querySelector('.ttl select');
    mode.value = [...mode.options].find(({ text }) => text === ${JSON.stringify(word)}).value;
    mode.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
  if (seconds === undefined) return;
  await browser.evaluate('document.querySelector(".ttl input").select()');
  await browser.send('Input.insertText', { text: seconds });
};
const messageOfTtl = (text) => `document.querySelector('.ttl .message').textContent.includes(${JSON.stringify(text)})`;
const isAsking = '!document.querySelector(".ttl .answers").hidden';
const defaultTtl = async () => (await container.read()).resource.defaultTtl;

test('T1: it shows and sets the time to live in the words of the portal', async () => {
  await open();
  await browser.until(all);
  const shown = (word, seconds) => `(() => {
    const [mode, input] = document.querySelectorAll('.ttl :is(select, input)');
    return mode.selectedOptions[0].text === ${JSON.stringify(word)} && input.value === '${seconds}'
        && input.checkVisibility() === ${seconds !== ''} && document.querySelector('.facts').textContent.startsWith('Time to Live ' + ${JSON.stringify(word)});
  })()`;
  assert.deepEqual(await browser.evaluate('[...document.querySelector(".ttl select").options].map(({ text }) => text)'),
                   ['Off', 'On (no default)', 'On']);
  await browser.until(shown('On', days(90)));
  for (const [word, seconds, stored] of [['Off', undefined, undefined], ['On (no default)', undefined, -1], ['On', '61', 61]]) {
    await choose(word, seconds);
    await click('.ttl .change');
    await browser.until(`${isAsking} && ${messageOfTtl('no item expires at once')}`);
    await click('.ttl .set');
    await browser.until(messageOfTtl(`Set: ${word}`));
    await browser.until(shown(word, seconds ?? ''));
    assert.equal(await defaultTtl(), stored);
  }
  await container.replace({ id: 'carts', partitionKey: { paths: ['/user'] }, defaultTtl: -1 }); // by another client
  await browser.until(shown('On (no default)', ''));
  assert.deepEqual(browser.problems, []);
});

test('W5 X4: before a default is set, it shows how many items that expires at once', async () => {
  await mayfly.advance(30);
  await open();
  await browser.until(all);
  await choose('On', '20');
  await click('.ttl .change');
  await browser.until(`${isAsking} && ${messageOfTtl('On, 20 seconds: 1 of 3 live items expires at once. No later change brings back')}`);
  assert.deepEqual([await read('cart'), await defaultTtl()], [200, days(90)]);
  await click('.ttl .cancel');
  await browser.until(`!(${isAsking}) && document.querySelector('.ttl input').value === '${days(90)}'`);
  assert.deepEqual([await read('cart'), await defaultTtl()], [200, days(90)]);
  await choose('On', '20');
  await click('.ttl .change');
  await browser.until(isAsking);
  await click('.ttl .set');
  await browser.until(`${messageOfTtl('Set: On, 20 seconds. 1 item expired at once.')} && ${lanes('alice/code', 'bob/<b>kept')}`);
  assert.deepEqual([await read('cart'), await read('code'), await defaultTtl()], [404, 200, 20]);
});

test('F3: what passed its deadline while TTL was off is counted, and counted anew while the page asks', async () => {
  await container.replace({ id: 'carts', partitionKey: { paths: ['/user'] } });
  await open();
  await browser.until('document.querySelectorAll(".lane").length === 3');
  await choose('On (no default)');
  await click('.ttl .change');
  await browser.until(`${isAsking} && ${messageOfTtl('On (no default): no item expires at once.')}`);
  await mayfly.advance(60);
  await browser.until(messageOfTtl('On (no default): 1 of 3 live items expires at once.'));
  await click('.ttl .set');
  await browser.until(messageOfTtl('1 item expired at once.'));
  assert.deepEqual([await read('code'), await read('cart')], [404, 200]);
});

test('T2 I1: an invalid default is refused with a message, and an invalid number is not sent', async () => {
  await open();
  await browser.until(all);
  await browser.evaluate(`window.asked = []; window.send = fetch;
      fetch = (path, options) => { asked.push(path); return send(path, options); }`);
  for (const seconds of ['0', '-1', '1.5', '2147483648', 'e', '']) {
    await choose('Off');
    await choose('On', seconds);
    await click('.ttl .change');
    await browser.until(messageOfTtl('On takes a whole number of seconds from 1 to 2,147,483,647.'));
    assert.ok(!await browser.evaluate(isAsking));
  }
  assert.deepEqual(await browser.evaluate('asked.filter((path) => !path.startsWith("items"))'), []);
  assert.equal(await defaultTtl(), days(90));
  await container.replace({ id: 'carts', partitionKey: { paths: ['/user'] }, indexingPolicy: { indexingMode: 'none', automatic: false } });
  await choose('On', '10');
  await click('.ttl .change');
  await browser.until(messageOfTtl("Indexing mode value cannot be 'none'"));
  assert.equal(await defaultTtl(), undefined);
});

test('it is live: what others write, and how they move the clock, is seen without a reload', async () => {
  await open();
  await browser.until(all);
  await browser.evaluate('window.isTheSame = true');
  await mayfly.advance(60);
  await container.items.create({ id: 'new', user: 'carol', ttl: 5 });
  await browser.until(lanes('carol/new', 'alice/cart', 'bob/<b>kept'));
  await mayfly.reset();
  await browser.until(says('containers', 'There is no container yet'));
  assert.ok(await browser.evaluate('window.isTheSame'));
});

test('of many items the next to expire are shown, and the others counted', async () => {
  const upserts = [...Array(300).keys()].map((i) => ({ operationType: 'Upsert', resourceBody: { id: `i${i}`, user: 'many', ttl: 1000 - i } }));
  for (let at = 0; at < upserts.length; at += 100) await container.items.batch(upserts.slice(at, at + 100), 'many');
  await open();
  await browser.until('document.querySelectorAll(".lane").length === 200');
  await browser.until(says('containers', '103 more items'));
  await browser.until('document.querySelectorAll(".lane")[1].getAttribute("aria-label").startsWith("many/i299 ")');
});

test('the page says when its server is not reachable, and reconnects', async () => {
  const first = await serve();
  await open(first);
  await browser.until(says('state', 'live'));
  await first.stop();
  await browser.until(says('state', 'not reachable'));
  assert.ok(await isDisabled('next'));
  const again = await startMayfly({ command: process.env.MAYFLY, port: new URL(first.endpoint).port });
  await browser.until(says('state', 'live'));
  assert.ok(!await isDisabled('next'));
  await again.stop();
});

test('a real clock cannot be moved, and the page says how it could', async () => {
  const real = await serve('real');
  await open(real);
  await browser.until(says('state', 'live'));
  assert.ok(await isDisabled('next') && await isDisabled('slider'));
  assert.ok(await browser.evaluate('document.body.innerText.includes("start the server with --clock virtual")'));
  await real.stop();
});

test('items of hierarchical and odd partitions are shown by their names', async () => {
  const { container: orders } = await mayfly.client.database('shop').containers.create(
      { id: 'orders', partitionKey: { paths: ['/tenant', '/user'], kind: 'MultiHash', version: 2 }, defaultTtl: 1000 });
  await orders.items.create({ id: 'o', tenant: 'a', user: 'b,"c' });
  await orders.items.create({ id: 'p', tenant: 'a', ttl: 2000 });
  await orders.items.create({ id: 'q', tenant: 1e300, user: false, ttl: 3000 });
  await open();
  const names = `[...document.querySelectorAll('.lane')].map(lane => lane.getAttribute('aria-label'))`;
  await browser.until(`${names}.length === 6`);
  const shown = await browser.evaluate(names);
  for (const name of ['alice/code', 'a/b,"c/o', '"a",/p', '1e+300/false/q'])
    assert.ok(shown.some((label) => label.startsWith(`${name} `)), `${name} is not in ${shown}`);
  assert.deepEqual(browser.problems, []);
});

test('under a foreign name that points at this machine, the page is refused', async () => {
  const { port } = new URL(mayfly.endpoint);
  const post = `fetch('/_mayfly/reset', { method: 'POST' }).then(({ status }) => status)`;
  for (const name of ['127.evil.example', '127.0.0.1.evil.example', 'localhost.evil.example']) {
    await browser.open(`http://${name}:${port}/_mayfly/`);
    await browser.until(says('state', 'answers only under the names of this machine'));
    assert.equal(await browser.evaluate(post), 403, name);
  }
  assert.equal(await read('cart'), 200);
  await open();
  assert.equal(await browser.evaluate(post), 200);
});

test('with a key of its own, the page signs what it asks', async () => {
  const key = Buffer.from('a key of my own, of 32 bytes and more').toString('base64');
  const own = await serve('virtual', ['--key', key]);
  const client = new CosmosClient({ endpoint: own.endpoint, key });
  await client.databases.create({ id: 'vault' });
  await client.database('vault').containers.create({ id: 'secrets', partitionKey: '/id', defaultTtl: 10 });
  await client.database('vault').container('secrets').items.create({ id: 's' });
  await open(own);
  await browser.until(says('state', 'a key is needed'));
  const unlock = (text) => browser.evaluate(`document.getElementById('key').value = ${JSON.stringify(text)};
      document.getElementById('unlock').requestSubmit()`);
  await unlock(Buffer.from('another').toString('base64'));
  await browser.until(says('state', 'not signed with'));
  await unlock(key);
  await browser.until(lanes('s/s'));
  await choose('On', '20');
  await click('.ttl .change');
  await browser.until(isAsking);
  await click('.ttl .set');
  await browser.until(`${messageOfTtl('Set: On, 20 seconds')} && ${says('next', 'in 20 s')}`);
  await click('#next');
  await browser.until(lanes());
  client.dispose();
  await own.stop();
});

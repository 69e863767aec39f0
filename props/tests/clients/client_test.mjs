// What users do with the service's own client, done with `mayfly serve`.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import { days, hours } from '../../examples/mayfly.mjs';
import { ChangeFeedStartFrom, CosmosClient, answered, serve } from './cosmos.mjs';

let mayfly, database;

before(async () => { mayfly = await serve('virtual@2024-02-28'); });
after(() => mayfly.stop());
beforeEach(async () => {
  await mayfly.reset();
  ({ database } = await mayfly.client.databases.create({ id: 'shop' }));
});

const partitioned = (id, settings = {}) => ({ id, partitionKey: { paths: ['/user'] }, ...settings });
const made = async (id, settings) => (await database.containers.create(partitioned(id, settings))).container;
const all = async (container, query = 'SELECT VALUE c.id FROM c', options = {}) =>
  (await container.items.query(query, options).fetchAll()).resources;
const status = async (call) => (await answered(call)).status;

test('databases are created, found, listed and deleted', async () => {
  const { databases } = mayfly.client;
  assert.equal(await status(databases.create({ id: 'shop' })), 409);
  assert.equal((await databases.createIfNotExists({ id: 'shop' })).statusCode, 200);
  assert.equal((await databases.createIfNotExists({ id: 'other shop' })).statusCode, 201);
  assert.deepEqual((await databases.readAll().fetchAll()).resources.map(({ id }) => id).sort(), ['other shop', 'shop']);
  assert.equal(await status(mayfly.client.database('other shop').delete()), 204);
  assert.equal(await status(mayfly.client.database('other shop').read()), 404);
});

test('T1 T2: a container has every kind of default, and no other', async () => {
  for (const [name, defaultTtl] of [['off', undefined], ['never', -1], ['seconds', 1], ['longest', 2147483647]]) {
    await made(name, defaultTtl === undefined ? {} : { defaultTtl });
    assert.equal((await database.container(name).read()).resource.defaultTtl, defaultTtl);
  }
  for (const defaultTtl of [0, -2, 2147483648, 1.5, '10', true, null, {}])
    assert.equal(await status(database.containers.create(partitioned('bad', { defaultTtl }))), 400, `${defaultTtl}`);
  assert.equal((await database.containers.createIfNotExists(partitioned('never'))).resource.defaultTtl, -1);
  const { resources } = await database.containers.readAll().fetchAll();
  assert.deepEqual(resources.map(({ id }) => id).sort(), ['longest', 'never', 'off', 'seconds']);
});

test('I1: a default needs an index, and the service\'s words say so', async () => {
  const none = { indexingPolicy: { indexingMode: 'none', automatic: false } };
  const refused = await answered(database.containers.create(partitioned('none', { ...none, defaultTtl: 10 })));
  assert.equal(refused.status, 400);
  assert.match(refused.message, /Indexing mode value cannot be 'none' when 'defaultTtl' is specified/);
  assert.equal(await status(database.containers.create(partitioned('none', none))), 201);
});

test('items are created, read, replaced, upserted and deleted, as they were written', async () => {
  const container = await made('items');
  const written = { id: 'a b', user: 'u1', list: [1, 2.5, null, { deep: true }], text: 'é\n"' };
  const { resource } = await container.items.create(written);
  assert.deepEqual({ ...resource, ...written }, resource);
  for (const property of ['_rid', '_self', '_etag', '_ts', '_attachments']) assert.ok(property in resource, property);
  assert.ok(!('ttl' in resource));
  assert.equal(await status(container.items.create(written)), 409);
  assert.deepEqual((await container.item('a b', 'u1').read()).resource, resource);
  assert.equal(await status(container.item('a b', 'u2').read()), 404);
  assert.equal((await container.item('a b', 'u1').replace({ id: 'a b', user: 'u1', n: 1 })).resource.n, 1);
  assert.equal(await status(container.items.upsert({ id: 'a b', user: 'u1' })), 200);
  assert.equal(await status(container.items.upsert({ id: 'a b', user: 'u2' })), 201);
  assert.equal(await status(container.item('a b', 'u1').delete()), 204);
  assert.equal(await status(container.item('a b', 'u1').delete()), 404);
  assert.deepEqual(await all(container, 'SELECT VALUE c.user FROM c'), ['u2']);
});

test('an etag guards against lost updates', async () => {
  const container = await made('items');
  const { resource: first } = await container.items.create({ id: '1', user: 'u' });
  const guarded = (etag) => ({ accessCondition: { type: 'IfMatch', condition: etag } });
  const { resource: second } = await container.item('1', 'u').replace({ ...first, n: 2 }, guarded(first._etag));
  assert.equal(await status(container.item('1', 'u').replace({ ...first, n: 3 }, guarded(first._etag))), 412);
  assert.equal(await status(container.item('1', 'u').delete(guarded(first._etag))), 412);
  assert.equal((await container.item('1', 'u').read()).resource.n, 2);
  assert.equal(await status(container.item('1', 'u').delete(guarded(second._etag))), 204);
});

test('a patch changes what it names', async () => {
  const container = await made('items');
  const item = container.item('1', 'u');
  await container.items.create({ id: '1', user: 'u', n: 1, list: [1], old: true });
  const { resource } = await item.patch([
    { op: 'incr', path: '/n', value: 4 }, { op: 'add', path: '/list/-', value: 2 },
    { op: 'remove', path: '/old' }, { op: 'set', path: '/new', value: { a: 1 } },
  ]);
  assert.deepEqual([resource.n, resource.list, resource.old, resource.new], [5, [1, 2], undefined, { a: 1 }]);
  const only = (condition) => ({ condition, operations: [{ op: 'replace', path: '/n', value: 6 }] });
  assert.equal(await status(item.patch(only('FROM c WHERE c.n = 4'))), 412);
  assert.equal(await status(item.patch(only('FROM c WHERE c.n = 5'))), 200);
  assert.equal(await status(item.patch([{ op: 'replace', path: '/missing', value: 1 }])), 400);
  assert.equal(await status(item.patch([{ op: 'set', path: '/id', value: '2' }])), 400);
  assert.equal(await status(item.patch([{ op: 'set', path: '/user', value: 'other' }])), 400);
  assert.equal(await status(item.patch([{ op: 'set', path: '/ttl', value: 0 }])), 400);
  assert.equal((await item.read()).resource.n, 6);
});

test('a batch is done as a whole or not at all', async () => {
  const container = await made('items', { defaultTtl: 10 });
  const batch = (operations) => container.items.batch(operations, 'u');
  const create = (id, more = {}) => ({ operationType: 'Create', resourceBody: { id, user: 'u', ...more } });
  const done = await batch([create('1'), create('2', { ttl: 5 }), { operationType: 'Read', id: '1' },
    { operationType: 'Patch', id: '1', resourceBody: { operations: [{ op: 'set', path: '/n', value: 1 }] } },
    { operationType: 'Upsert', resourceBody: { id: '3', user: 'u' } }, { operationType: 'Delete', id: '3' }]);
  assert.deepEqual(done.result.map(({ statusCode }) => statusCode), [201, 201, 200, 200, 201, 204]);
  const failed = await batch([create('4'), create('1'), create('5')]);
  assert.deepEqual(failed.result.map(({ statusCode }) => statusCode), [424, 409, 424]);
  const bad = await batch([create('4'), create('5', { ttl: 0 })]);
  assert.deepEqual(bad.result.map(({ statusCode }) => statusCode), [424, 400]);
  assert.deepEqual(await all(container), ['1', '2']);
  await mayfly.advance(5);
  assert.deepEqual(await all(container), ['1']);
});

test('queries select, filter, order, count and page', async () => {
  const container = await made('items');
  for (let n = 0; n < 25; ++n) await container.items.create({ id: `${n}`, user: `u${n % 3}`, n, even: n % 2 === 0 });
  const one = { partitionKey: 'u1' };
  assert.deepEqual(await all(container, 'SELECT VALUE c.n FROM c WHERE c.n > 20 ORDER BY c.n DESC'), [24, 23, 22, 21]);
  assert.deepEqual(await all(container, 'SELECT c.n, c.user AS who FROM c WHERE c.id = "7"'), [{ n: 7, who: 'u1' }]);
  assert.deepEqual(await all(container, 'SELECT VALUE COUNT(1) FROM c WHERE c.even'), [13]);
  assert.deepEqual(await all(container, 'SELECT VALUE COUNT(1) FROM c', one), [8]);
  assert.deepEqual(await all(container, 'SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 3 LIMIT 2'), [3, 4]);
  assert.deepEqual(await all(container, { query: 'SELECT VALUE c.n FROM c WHERE c.n IN (@a, @b)',
    parameters: [{ name: '@a', value: 3 }, { name: '@b', value: 5 }] }), [3, 5]);
  const pages = container.items.query('SELECT VALUE c.n FROM c', { maxItemCount: 10 });
  const sizes = [];
  while (pages.hasMoreResults()) sizes.push((await pages.fetchNext()).resources.length);
  assert.deepEqual(sizes.filter((size) => size > 0), [10, 10, 5]);
  assert.equal((await container.items.readAll({ maxItemCount: 7 }).fetchAll()).resources.length, 25);
  const refused = await answered(container.items.query('SELECT c.user FROM c JOIN t IN c.tags').fetchAll());
  assert.equal(refused.status, 400);
  assert.match(refused.message, /JOIN is not supported/);
});

test('the change feed shows what was written since, and nothing that expired', async () => {
  const container = await made('items', { defaultTtl: -1 });
  const changes = async (changeFeedStartFrom) => {
    const pages = container.items.getChangeFeedIterator({ maxItemCount: 2, changeFeedStartFrom });
    const ids = [];
    for (;;) {
      const { statusCode, result, continuationToken } = await pages.readNext();
      if (statusCode === 304) return { ids, next: ChangeFeedStartFrom.Continuation(continuationToken) };
      ids.push(...result.map(({ id }) => id));
    }
  };
  for (const id of ['1', '2', '3']) await container.items.create({ id, user: id, ttl: id === '2' ? 10 : 20 });
  await container.items.upsert({ id: '1', user: '1', n: 1 });
  const first = await changes(ChangeFeedStartFrom.Beginning());
  assert.deepEqual(first.ids, ['2', '3', '1']);
  assert.deepEqual((await changes(ChangeFeedStartFrom.Beginning('3'))).ids, ['3']);
  assert.deepEqual((await changes(ChangeFeedStartFrom.Now())).ids, []);
  assert.deepEqual((await changes(first.next)).ids, []);
  await container.items.create({ id: '4', user: '4' });
  assert.deepEqual((await changes(first.next)).ids, ['4']);
  await mayfly.advance(10);
  assert.deepEqual((await changes(ChangeFeedStartFrom.Beginning())).ids, ['3', '1', '4']);
});

test('X1 X2: a session lives for thirty days and not a second more', async () => {
  const sessions = await made('sessions', { defaultTtl: days(30) });
  await sessions.items.create({ id: 's', user: 'u' });
  await mayfly.advance(days(30) - 1);
  assert.equal(await status(sessions.item('s', 'u').read()), 200);
  await mayfly.advance(1);
  assert.equal(await status(sessions.item('s', 'u').read()), 404);
  assert.equal(await status(sessions.item('s', 'u').replace({ id: 's', user: 'u' })), 404);
  assert.equal(await status(sessions.item('s', 'u').patch([{ op: 'set', path: '/a', value: 1 }])), 404);
  assert.equal(await status(sessions.item('s', 'u').delete()), 404);
  assert.deepEqual(await all(sessions, 'SELECT VALUE COUNT(1) FROM c'), [0]);
  assert.equal(await status(sessions.items.create({ id: 's', user: 'u' })), 201); // X3
});

test('W1: what is written again starts again', async () => {
  const sessions = await made('sessions', { defaultTtl: hours(1) });
  for (const id of ['read', 'replaced', 'patched']) await sessions.items.create({ id, user: 'u' });
  await mayfly.advance(hours(1) - 1);
  await sessions.item('read', 'u').read();
  await sessions.item('replaced', 'u').replace({ id: 'replaced', user: 'u' });
  await sessions.item('patched', 'u').patch([{ op: 'set', path: '/seen', value: true }]);
  await mayfly.advance(hours(1) - 1);
  assert.deepEqual(await all(sessions), ['replaced', 'patched']);
});

test('E3 F1 F2: an item\'s own ttl counts while TTL is on', async () => {
  const container = await made('items');
  const written = await container.items.create({ id: '1', user: 'u', ttl: 60 });
  assert.equal(written.resource.ttl, 60);
  await mayfly.advance(59);
  const define = (settings) => container.replace(partitioned('items', settings));
  await define({ defaultTtl: -1 });
  assert.deepEqual(await all(container), ['1']);
  await define({ defaultTtl: null });
  await mayfly.advance(days(365));
  assert.deepEqual(await all(container), ['1']);
  await define({ defaultTtl: -1 });
  assert.deepEqual(await all(container), []); // F3
});

test('W5 X4: a shorter default expires at once, and for good', async () => {
  const container = await made('items', { defaultTtl: -1 });
  await container.items.create({ id: 'inherits', user: 'u' });
  await container.items.create({ id: 'never', user: 'u', ttl: -1 });
  await mayfly.advance(10);
  await container.items.create({ id: 'young', user: 'u' });
  for (const defaultTtl of [10, null, -1, 1000]) {
    await container.replace(partitioned('items', { defaultTtl }));
    assert.deepEqual(await all(container), ['never', 'young']);
  }
});

test('T3: the service\'s words say which ttl is bad', async () => {
  const container = await made('items');
  for (const ttl of [0, -2, 2147483648, 1.5, '10', true, null])
    assert.equal(await status(container.items.create({ id: '1', user: 'u', ttl })), 400, `${ttl}`);
  const { message } = await answered(container.items.create({ id: '1', user: 'u', ttl: 0 }));
  assert.match(message, /The input ttl '0' is invalid. Ensure to provide a nonzero positive integer/);
});

test('R1 P1: purging costs nothing and shows nothing', async () => {
  const container = await made('items', { defaultTtl: 10 });
  for (let n = 0; n < 5; ++n) await container.items.create({ id: `${n}`, user: 'u' });
  await container.items.create({ id: 'kept', user: 'u', ttl: -1 });
  const cost = async () => (await container.item('kept', 'u').read()).requestCharge;
  const before = await cost();
  await mayfly.advance(10);
  assert.deepEqual(await all(container), ['kept']);
  assert.equal(await mayfly.purge(), 5);
  assert.deepEqual(await all(container), ['kept']);
  assert.equal(await cost(), before);
});

test('a killed server comes back with all it acknowledged, what had expired and its clock', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-'));
  const options = ['--data', join(folder, 'data')];
  let server = await serve('virtual@1000', options);
  try {
    const create = await server.client.databases.create({ id: 'd' });
    const { container } = await create.database.containers.create(partitioned('c', { defaultTtl: 10 }));
    for (const id of ['inherits', 'refreshed']) await container.items.create({ id, user: 'u' });
    const { resource } = await container.items.create({ id: 'never', user: 'u', ttl: -1 });
    await server.advance(10);
    await container.items.upsert({ id: 'refreshed', user: 'u' });
    await container.replace(partitioned('c', { defaultTtl: 1000 }));
    await server.stop('SIGKILL');
    server = await serve('virtual@1000', options);
    assert.equal(await server.now(), 1010);
    const again = server.client.database('d').container('c');
    assert.deepEqual((await all(again)).sort(), ['never', 'refreshed']);
    assert.deepEqual((await again.item('never', 'u').read()).resource, resource);
    await again.items.create({ id: 'inherits', user: 'u' });
    await server.advance(1000);
    assert.deepEqual(await all(again), ['never']);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

test('a clock that is real cannot be moved', async () => {
  const server = await serve('real');
  try {
    await assert.rejects(server.advance(1), /clock is real/);
    assert.ok(Math.abs(await server.now() - Date.now() / 1000) < 3600);
  } finally {
    await server.stop();
  }
});

test("the example of the server's page holds", async () => {
  const page = readFileSync(new URL('../../../sim/serve/README.md', import.meta.url), 'utf8');
  const [, code] = page.match(/^```js\n(.*?)^```/ms);
  const AsyncFunction = (async () => {}).constructor;
  const server = await serve();
  try {
    const run = new AsyncFunction('startMayfly', 'CosmosClient', 'days', 'assert', code);
    await run(() => server, CosmosClient, days, assert);
  } finally {
    await server.stop();
  }
});

// Runs the scenarios on `mayfly serve` through the service's own client. Each case has a server of its own, whose clock
// starts where the case says, so that every `_ts` is compared as it is written.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';

import { answered, serve } from './cosmos.mjs';

// Steps that no call of the client can express. Each reason has to occur.
const cannotBeSaid = {
  'a null default at creation: the service refuses it': (step) =>
    step.op === 'create_collection' && step.default_ttl === null,
  'an invalid item for a missing collection: the client reads the collection first': (step, seen) =>
    ['create', 'upsert'].includes(step.op) && step.expect.status === 400 && !seen.collections.has(step.collection),
};
// Cases that neither the service nor its client accepts.
const cannotBeNamed = 'names that are empty, end with a space, or have one of / \\ ? #';
const isRefused = (name) => name !== undefined && !/^[^/\\?#]*[^/\\?# ]$/s.test(name);
const hasRefusedName = ({ steps }) =>
  steps.some(({ collection, partition, id }) => [collection, partition, id].some(isRefused));

const leftOut = new Map([...Object.keys(cannotBeSaid), cannotBeNamed].map((reason) => [reason, 0]));

const keyOf = ({ collection, partition, id }) => JSON.stringify([collection, partition, id]);

/// What the steps of a case have done so far.
class Seen {
  collections = new Set();
  documents = new Set(); // expired ones too
  rewritesExpired = false;

  take(step) {
    const { op, collection, expect: { status } } = step;
    if (op === 'create_collection' && status === 201) this.collections.add(collection);
    if (op === 'delete_collection') this.collections.delete(collection);
    if (op === 'delete' && status === 204) this.documents.delete(keyOf(step));
    if (status !== 201 || !['create', 'upsert'].includes(op)) return;
    this.rewritesExpired ||= this.documents.has(keyOf(step));
    this.documents.add(keyOf(step));
  }
}

const folder = process.env.MAYFLY_SCENARIOS;

function casesOf(file) {
  const cases = [];
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  lines.forEach((line, index) => {
    if (!line.trim()) return;
    const step = { ...JSON.parse(line), line: index + 1 };
    if (step.op === 'reset') cases.push({ start: step.now, steps: [] });
    else cases.at(-1).steps.push(step);
  });
  return cases;
}

const definition = ({ collection, default_ttl: defaultTtl, indexing = 'consistent' }) => ({
  id: collection,
  partitionKey: { paths: ['/partition'] },
  indexingPolicy: { indexingMode: indexing, automatic: indexing !== 'none' },
  ...(defaultTtl === undefined ? {} : { defaultTtl }),
});

const content = ({ partition, id, value = '', ttl }) => ({ partition, id, value, ...(ttl === undefined ? {} : { ttl }) });

// The service rejects the removal of a missing property, which the rules allow. So the property is set first.
function operations({ value, ttl, remove_ttl: removesTtl }) {
  const all = [];
  if (value !== undefined) all.push({ op: 'set', path: '/value', value });
  if (ttl !== undefined) all.push({ op: 'set', path: '/ttl', value: ttl });
  if (removesTtl) all.push({ op: 'set', path: '/ttl', value: 1 }, { op: 'remove', path: '/ttl' });
  return all;
}

const shownDocument = ({ partition, id, value, _ts, ttl }) =>
  ({ partition, id, value, _ts, ...(ttl === undefined ? {} : { ttl }) });

const withDocument = ({ status, resource, charge }) =>
  ({ status, charge, ...(resource && status < 300 && status !== 204 ? { document: shownDocument(resource) } : {}) });

async function queried(container, { partition }) {
  const options = partition === undefined ? {} : { partitionKey: partition };
  const answer = await answered(container.items.query('SELECT * FROM c', options).fetchAll()
    .then(({ resources, requestCharge }) => ({ statusCode: 200, resource: resources, requestCharge })));
  return { ...answer, ...(answer.resource ? { documents: answer.resource.map(shownDocument) } : {}) };
}

const calls = {
  create_collection: (database, step) => answered(database.containers.create(definition(step))),
  replace_collection: (database, step) => answered(database.container(step.collection).replace(definition(step))),
  delete_collection: (database, step) => answered(database.container(step.collection).delete()),
  read_collection: async (database, step) => {
    const { status, resource } = await answered(database.container(step.collection).read());
    if (status !== 200) return { status };
    return { status, default_ttl: resource.defaultTtl ?? null, indexing: resource.indexingPolicy.indexingMode };
  },
  create: async (database, step) =>
    withDocument(await answered(database.container(step.collection).items.create(content(step)))),
  upsert: async (database, step) =>
    withDocument(await answered(database.container(step.collection).items.upsert(content(step)))),
  replace: async (database, step) =>
    withDocument(await answered(item(database, step).replace(content(step)))),
  patch: async (database, step) => withDocument(await answered(item(database, step).patch(operations(step)))),
  read: async (database, step) => withDocument(await answered(item(database, step).read())),
  delete: (database, step) => answered(item(database, step).delete()),
  query: (database, step) => queried(database.container(step.collection), step),
  advance: async (_, { seconds }, server) => ({ status: 200, now: await server.advance(seconds) }),
  purge: async (_, { budget }, server) => ({ status: 200, purged: await server.purgedSince(budget), charge: 0 }),
  index: async (_, { budget }, server) => ({ status: 200, ...(await server.ask('index', { budget })) }),
  held: async ({ id }, _, server) => {
    const containers = (await server.ask('stats')).containers.filter(({ database }) => database === id);
    return { status: 200, held: containers.reduce((sum, { held }) => sum + held, 0) };
  },
};

/// Purges, and says how many are purged since the last time: the server also purges by itself when its clock moves.
function purgeCounter(server) {
  let before = new Map();
  return async (budget) => {
    await server.purge(budget);
    const { containers } = await server.ask('stats');
    const now = new Map(containers.map(({ container, purged }) => [container, purged]));
    let sum = 0;
    for (const [container, purged] of now) sum += purged - Math.min(purged, before.get(container) ?? 0);
    before = now;
    return sum;
  };
}

const item = (database, { collection, id, partition }) => database.container(collection).item(id, partition);

const sorted = (documents) => documents.map((document) => JSON.stringify(document)).sort();

function compare({ expect, purgesMore }, answer) {
  for (const [field, wanted] of Object.entries(expect)) {
    // An expired document that is written again is either purged before, or never.
    if (field === 'purged' && purgesMore) assert.ok(answer.purged >= wanted, `purged: ${answer.purged} < ${wanted}`);
    else if (field === 'documents') assert.deepEqual(sorted(answer.documents ?? []), sorted(wanted.map(shownDocument)));
    else if (wanted === null) assert.equal(answer[field] ?? null, null, field);
    else assert.deepEqual(answer[field], wanted, `${field}: ${answer.message ?? ''}`);
  }
}

async function runCase({ start, steps }, file) {
  const server = await serve(`virtual@${start}`);
  server.purgedSince = purgeCounter(server);
  try {
    const { database } = await server.client.databases.create({ id: 'scenario' });
    const seen = new Seen();
    for (const step of steps) {
      const reason = Object.keys(cannotBeSaid).find((each) => cannotBeSaid[each](step, seen));
      if (reason) leftOut.set(reason, leftOut.get(reason) + 1);
      const run = (asked) => runStep({ ...asked, purgesMore: seen.rewritesExpired }, database, server, file);
      if (!reason) await run(step);
      else if (step.op === 'create_collection') await run({ ...step, default_ttl: undefined });
      seen.take(step);
    }
  } finally {
    await server.stop();
  }
}

async function runStep(step, database, server, file) {
  try {
    compare(step, await calls[step.op](database, step, server));
  } catch (error) {
    error.message = `${file}:${step.line}: ${step.op}: ${error.message}`;
    throw error;
  }
}

for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl')).sort())
  test(file, async () => {
    const cases = casesOf(file);
    const possible = cases.filter((each) => !hasRefusedName(each));
    leftOut.set(cannotBeNamed, leftOut.get(cannotBeNamed) + cases.length - possible.length);
    const ends = await Promise.allSettled(possible.map((each) => runCase(each, file)));
    for (const { reason } of ends) if (reason) throw reason;
  });

test('every reason to leave something out occurs', (context) => {
  for (const [reason, times] of leftOut) {
    context.diagnostic(`left out ${times} times: ${reason}`);
    assert.ok(times > 0, reason);
  }
});

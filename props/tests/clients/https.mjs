// Clients that take only https, and the newest, on a server with a certificate of its own.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { days, startMayfly } from '../../examples/mayfly.mjs';

const [, , client, endpoint, key] = process.argv;

// Node reads NODE_EXTRA_CA_CERTS when it starts, so each client is in a process of its own.
async function useClient() {
  const { CosmosClient } = createRequire(`${process.env.MAYFLY_NPM}/package.json`)(client);
  const cosmos = new CosmosClient({ endpoint, key });
  const { database } = await cosmos.databases.create({ id: client.replaceAll('/', '-') });
  const { container } = await database.containers.create({ id: 'c', partitionKey: '/pk', defaultTtl: days(90) });
  await container.items.create({ id: 'a', pk: 'p' });
  await container.item('a', 'p').replace({ id: 'a', pk: 'p', n: 1 });
  const { resources } = await container.items.query('SELECT VALUE c.n FROM c').fetchAll();
  assert.deepEqual(resources, [1]);
  const move = await fetch(`${endpoint}_mayfly/clock/advance`, { method: 'POST', body: `{"seconds":${days(90)}}` });
  assert.equal(move.status, 200);
  assert.equal((await container.item('a', 'p').read()).statusCode, 404);
}

if (client) {
  await useClient();
  process.exit(0);
}

let folder, mayfly;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mayfly-'));
  process.env.XDG_DATA_HOME = folder;
  mayfly = await startMayfly({ command: process.env.MAYFLY, options: ['--tls'] });
});
after(async () => {
  await mayfly.stop();
  rmSync(folder, { recursive: true });
});

for (const name of ['@azure/cosmos', 'cosmos-4.1', 'cosmos-3.17'])
  test(`${name} works over https`, async () => {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'mayfly/certificate.pem') };
    assert.match(mayfly.endpoint, /^https:/);
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), name, mayfly.endpoint, mayfly.key], { env });
  });

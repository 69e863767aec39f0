// The service's own client, from where the launcher installs it.

import { createRequire } from 'node:module';
import { webcrypto } from 'node:crypto';
import process from 'node:process';

import { startMayfly } from '../../examples/mayfly.mjs';

globalThis.crypto ??= webcrypto; // what the client needs, and Node 18 has elsewhere

const folder = process.env.MAYFLY_NPM;
export let ChangeFeedStartFrom, CosmosClient;
try {
  ({ ChangeFeedStartFrom, CosmosClient } = createRequire(`${folder}/package.json`)('@azure/cosmos'));
} catch {
  console.error(`@azure/cosmos is not in ${folder}/node_modules: ./mayfly test installs it`);
  process.exit(1);
}

/// A server and a client of it, with `stop` for both.
export async function serve(clock = 'virtual', options = []) {
  const mayfly = await startMayfly({ command: process.env.MAYFLY, clock, options });
  const client = new CosmosClient({ endpoint: mayfly.endpoint, key: mayfly.key });
  return { ...mayfly, client, stop: async (signal) => { client.dispose(); await mayfly.stop(signal); } };
}

/// The client's answer, or the error that it throws: both have a status.
export async function answered(call) {
  try {
    const answer = await call;
    return { status: answer.statusCode, resource: answer.resource, charge: answer.requestCharge };
  } catch (error) {
    if (typeof error.code !== 'number') throw error;
    return { status: error.code, message: error.body?.message ?? error.message };
  }
}

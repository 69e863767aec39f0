// For tests that start a `mayfly serve` and move its clock:
//
//   const mayfly = await startMayfly({ command: './mayfly' });
//   const client = new CosmosClient({ endpoint: mayfly.endpoint, key: mayfly.key });
//   ...
//   await mayfly.advance(days(90));
//   await mayfly.stop();

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const minutes = (n) => n * 60;
export const hours = (n) => n * 3600;
export const days = (n) => n * 86400;

export async function startMayfly({ command = './mayfly', clock = 'virtual', port = 0, options = [] } = {}) {
  const server = spawn(command, ['serve', '--port', String(port), '--clock', clock, ...options],
                       { stdio: ['ignore', 'pipe', 'inherit'] });
  // Also stops the server if a test fails before it calls stop.
  const kill = () => server.kill();
  process.once('exit', kill);
  // The first line has the address. It comes late if the launcher has to build the program first.
  const lines = createInterface({ input: server.stdout });
  const ended = once(server, 'exit').then(() => [''], (error) => [error.message]);
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  const endpoint = line.match(/https?:\/\/\S+/)?.[0];
  if (!endpoint) throw new Error(`${command} serve did not start${line && `: ${line}`}`);

  async function ask(path, body) {
    const answer = await fetch(`${endpoint}_mayfly/${path}`, body && {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
    const json = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${json.message}`);
    return json;
  }

  return {
    endpoint,
    key: 'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==', // the emulators'
    ask,
    now: async () => (await ask('clock')).now,
    advance: async (seconds) => (await ask('clock/advance', { seconds })).now,
    purge: async (budget = 1e6) => (await ask('purge', { budget })).purged,
    reset: () => ask('reset', {}),
    stop: async (signal = 'SIGTERM') => {
      process.off('exit', kill);
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill(signal);
      await once(server, 'exit');
    },
  };
}

// The samples of the articles as sim/serve/ARTICLES.md shows them: runs its code, each section as a test of its own.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { days, hours } from '../../examples/mayfly.mjs';
import { CosmosClient, serve } from './cosmos.mjs';

const page = readFileSync(new URL('../../../sim/serve/ARTICLES.md', import.meta.url), 'utf8');
const sections = page.split(/^#+ /m).slice(1).map((section) => ({
  title: section.slice(0, section.indexOf('\n')),
  code: [...section.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code).join(''),
}));

test('the page has every flow of the articles, each with the names and numbers that they give it', () => {
  const given = [
    [/^The articles' samples/, "'salesdb'", "'CO18009186470'"],
    [/^1\. .*default of -1/, "'orders'", "'/customerId'", 'defaultTtl: -1', 'throughput: 20000'],
    [/^2\. .*90 days/, "'orders'", "'/customerId'", 'defaultTtl: 90 * 60 * 60 * 24', 'throughput: 20000'],
    [/^3\. .*30 days/, "'SO05'", 'ttl: 60 * 60 * 24 * 30', 'ttl: null'],
    [/^4\. .*starts again/, "'SO05'", 'readDocument.ttl = 60 * 30 * 30', 'replace(readDocument)'],
    [/^5\. .*inherits/, "'SO05'", 'delete readDocument.ttl', 'replace(readDocument)'],
    [/^6\. .*TTL is off/, 'defaultTtl = null', 'orders.replace(definition)'],
    [/expire alone/, 'ttl: days(1)'],
    [/^As printed/, 'cid: customerId', 'replace(salesOrder)'],
  ];
  assert.equal(sections.length, given.length);
  given.forEach(([title, ...parts], i) => {
    assert.match(sections[i].title, title);
    for (const part of parts) assert.ok(sections[i].code.includes(part), `${sections[i].title}: ${part}`);
    assert.ok(i === 0 || sections[i].code.includes('assert.'), sections[i].title);
  });
});

// One function, so that what a section declares is there in the next. It yields after each.
const AsyncGenerator = (async function* () {}).constructor;
const code = sections.map((section) => `${section.code}\nyield;\n`).join('');
const flow = new AsyncGenerator('mayfly', 'CosmosClient', 'days', 'hours', 'assert', `'use strict';\n${code}`);

test('the samples run, in the order of the articles', async (context) => {
  const mayfly = await serve('virtual@2018-01-01');
  try {
    const steps = flow(mayfly, CosmosClient, days, hours, assert);
    for (const { title } of sections)
      await context.test(title, async () => assert.equal((await steps.next()).done, false, 'a section before has failed'));
  } finally {
    await mayfly.stop();
  }
});

// A browser without a display, driven over a pipe by its own protocol: real mouse and keys, no package needed.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-pipe'];

/// A page to open, evaluate and act on; `problems` are the errors that the browser reported.
export async function openBrowser(...options) {
  const profile = mkdtempSync(join(tmpdir(), 'mayfly-browser-'));
  const chromium = spawn('chromium', [...flags, `--user-data-dir=${profile}`, ...options, 'about:blank'],
                         { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const [, , , requests, answers] = chromium.stdio;
  const waiting = new Map(), problems = [];
  let last = 0, loaded = () => {}, session;

  const events = {
    'Page.loadEventFired': () => loaded(),
    'Runtime.exceptionThrown': ({ exceptionDetails: { exception, text } }) => problems.push(exception?.description ?? text),
    'Log.entryAdded': ({ entry }) => problems.push(entry.text),
  };
  const take = (message) => {
    const { id, method, params, result, error } = JSON.parse(message);
    if (!id) return events[method]?.(params);
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    return error ? reject(new Error(error.message)) : resolve(result);
  };
  let rest = '';
  answers.setEncoding('utf8');
  answers.on('data', (text) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    messages.forEach(take);
  });
  chromium.once('exit', () => waiting.forEach(({ reject }) => reject(new Error('the browser is gone'))));

  const send = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    requests.write(`${JSON.stringify({ id: last, method, params, sessionId: session })}\0`);
  });
  const { targetInfos } = await send('Target.getTargets');
  const { targetId } = targetInfos.find(({ type }) => type === 'page');
  ({ sessionId: session } = await send('Target.attachToTarget', { targetId, flatten: true }));
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`);

  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const mouse = (type, x, y) => send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: 1, clickCount: 1 });

  return {
    problems,
    send,
    evaluate,
    open: async (url) => {
      const isLoaded = new Promise((resolve) => { loaded = resolve; });
      await send('Page.navigate', { url });
      await isLoaded;
    },
    /// Waits until the expression is true, and evaluates it whenever the page changes. Fails with the text of the page.
    until: (expression) => evaluate(`new Promise((resolve, reject) => {
      const holds = () => { try { return ${expression}; } catch { return false; } };
      if (holds()) return resolve();
      const seen = new MutationObserver(() => { if (holds()) { seen.disconnect(); resolve(); } });
      seen.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      setTimeout(() => reject(new Error(${JSON.stringify(expression)} + ' never holds on: ' + document.body.innerText)), 60000);
    })`),
    /// Presses the mouse at one place of the window, and lets it go at another.
    drag: async ([x, y], [toX, toY]) => {
      await mouse('mousePressed', x, y);
      await mouse('mouseMoved', toX, toY);
      await mouse('mouseReleased', toX, toY);
    },
    /// A key, such as { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 }.
    press: async (key) => {
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...key });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
    },
    close: async () => {
      const exit = once(chromium, 'exit');
      await send('Browser.close').catch(() => {});
      await exit;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

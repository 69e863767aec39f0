// The page of a running server: its containers, their items with the time that each has left, their defaults to set, and
// a clock to move. It asks the server it came from, every second and after each change, and draws anew what has changed.

const mostLanes = 200;
const pause = 1000;       // between two requests, in milliseconds
const patience = 10_000;  // for one answer
const largestTtl = 2_147_483_647;

const part = Object.fromEntries([...document.querySelectorAll('[id]')].map(element => [element.id, element]));
const dateText = second => new Date(second * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC');

// Asking the server.

let key = '';

// As clients sign: verb, kind of resource, link and date. For a path of the control endpoints, that is its own words.
async function signedFields(method, path) {
  const words = ['_mayfly', ...path.split('?')[0].split('/')];
  const isFeed = words.length % 2 === 1;
  const kind = words.at(isFeed ? -1 : -2), link = (isFeed ? words.slice(0, -1) : words).join('/');
  const date = new Date().toUTCString();
  const secret = await crypto.subtle.importKey('raw', Uint8Array.from(atob(key), letter => letter.charCodeAt(0)),
      { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const text = `${method.toLowerCase()}\n${kind}\n${link}\n${date.toLowerCase()}\n\n`;
  const signature = await crypto.subtle.sign('HMAC', secret, new TextEncoder().encode(text));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return { 'x-ms-date': date, authorization: encodeURIComponent(`type=master&ver=1.0&sig=${base64}`) };
}

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// The text of the answer. Throws Refused, or whatever fetch throws if there is no answer.
async function ask(path, body) {
  const method = body ? 'POST' : 'GET';
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(key && await signedFields(method, path)) };
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), cache: 'no-store',
                                     signal: AbortSignal.timeout(patience) });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(answer.status, JSON.parse(text).message);
  return text;
}

// The server's answers as data for the timeline.

const nameOf = ({ partition, id }) => {
  let values = [partition]; // as it is written, where the item has no value for a part of its key
  try {
    values = JSON.parse(`[${partition}]`);
  } catch { /* not a list of values */ }
  const name = values.map(value => typeof value === 'string' ? value : JSON.stringify(value)).join('/');
  return values.some(Boolean) ? `${name}/${id}` : id;
};

// Every container has the same share of the lanes, so that none hides the next expiry of another.
function snapshotOf({ now, mode, containers }) {
  const share = Math.max(5, Math.floor(mostLanes / Math.max(containers.length, 1)));
  const shown = containers.map(container => ({
    ...container,
    name: `${container.database} / ${container.container}`,
    items: container.items.filter(item => !item.expired).slice(0, share)
        .map(item => ({ ...item, name: nameOf(item), left: item.deadline === null ? undefined : item.deadline - now })),
  }));
  const times = shown.flatMap(({ items }) => items.map(({ left }) => left)).filter(left => left !== undefined);
  return { now, mode, containers: shown, next: times.length ? Math.min(...times) : undefined, latest: Math.max(...times, 0) };
}

// A default in the words of the service's portal (T1).
const modes = { off: 'Off', never: 'On (no default)', seconds: 'On' };
const modeOf = defaultTtl => defaultTtl === null ? 'off' : defaultTtl === -1 ? 'never' : 'seconds';
const defaultText = defaultTtl => modeOf(defaultTtl) === 'seconds' ? `On, ${counted(defaultTtl, 'second')}` : modes[modeOf(defaultTtl)];

function factsText(container) {
  const { defaultTtl } = container;
  return [`Time to Live ${defaultTtl >= 60 ? `On, ${durationText(defaultTtl)}` : defaultText(defaultTtl)}`, counted(container.live, 'live item'),
          container.expired ? `${container.expired.toLocaleString('en')} expired, not yet purged` : '',
          container.purged ? `${container.purged.toLocaleString('en')} purged` : '',
          container.indexingMode === 'lazy' ? 'lazy index' : ''].filter(Boolean).join(' · ');
}

function laneOf(item, now) {
  const why = item.ttl === null ? 'by the default' : `by its own ttl, ${item.ttl}`;
  const left = item.left === undefined ? 'lives on' : durationText(item.left);
  const title = item.left === undefined ? `${item.name} lives on, ${why}`
      : `${item.name} expires in ${left}, at ${dateText(now + item.left)}, ${why}`;
  return { label: item.name, title, about: title,
           lives: [{ from: 0, until: item.left, text: left, title, kind: item.left === undefined ? 'setting' : '' }] };
}

// The items that have expired between two answers: their number, and the names of those that were listed.
function goneBetween(before, after) {
  const live = new Set(after.items.map(item => item.partition + item.id));
  const named = before.items.filter(item => item.deadline !== null && item.deadline <= after.now && !live.has(item.partition + item.id));
  return { named: named.map(item => item.name), count: named.length && Math.max(named.length, before.live - after.live) };
}

const previewText = (defaultTtl, { expires, live }) => `${defaultText(defaultTtl)}: ${expires === 0 ? 'no item expires at once.'
    : `${expires.toLocaleString('en')} of ${counted(live, 'live item')} ${expires === 1 ? 'expires' : 'expire'} at once. No later change brings back what is expired.`}`;
const setText = (defaultTtl, { expired }) =>
    `Set: ${defaultText(defaultTtl)}. ${expired === 0 ? 'No item' : counted(expired, 'item')} expired at once.`;

// What is chosen in the words of the portal. `value` is undefined if it is not allowed (T2).
function defaultChoice() {
  const mode = make('select', {}, ...Object.entries(modes).map(([value, text]) => make('option', { value }, text)));
  const seconds = make('input', { type: 'number', min: 1, max: largestTtl, step: 1 });
  const labels = [make('label', {}, 'Time to Live ', mode), make('label', {}, seconds, ' second(s)')];
  const show = () => { labels[1].hidden = mode.value !== 'seconds'; };
  return {
    labels, show,
    fill: defaultTtl => {
      mode.value = modeOf(defaultTtl);
      seconds.value = mode.value === 'seconds' ? defaultTtl : '';
      show();
    },
    value: () => {
      if (mode.value !== 'seconds') return mode.value === 'off' ? null : -1;
      const number = seconds.valueAsNumber;
      return Number.isInteger(number) && number >= 1 && number <= largestTtl ? number : undefined;
    },
  };
}

// Sets a container's default. How many items that expires at once is asked for and shown before, because it is final (X4),
// and asked for again whenever the container has changed.
function ttlForm() {
  const choice = defaultChoice(), message = make('p', { class: 'message', role: 'status' });
  const set = make('button', { type: 'button', class: 'set' }, 'Set'), cancel = make('button', { type: 'button', class: 'cancel' }, 'Cancel');
  const answers = make('div', { class: 'answers', hidden: true }, set, cancel), change = make('button', { class: 'change' }, 'Change');
  const element = make('form', { class: 'ttl', novalidate: true }, ...choice.labels, change,
                       make('div', { class: 'outcome' }, message, answers));
  let container = null, isEdited = false;
  let wanted;      // the default that the question is about
  let latest = 0;  // the number of the latest request: answers to earlier ones are ignored

  const tell = (text, isBad = false) => {
    if (message.textContent !== text) message.textContent = text;  // or it would be read out again
    message.classList.toggle('bad', isBad);
  };
  const drop = () => {
    wanted = undefined;
    ++latest;
    answers.hidden = true;
    tell('');
  };
  const answerTo = async (path, defaultTtl) => {
    const number = ++latest;
    const text = await ask(path, { database: container.database, container: container.container, defaultTtl }).catch(problem => {
      if (number !== latest) return;
      drop();
      tell(problem instanceof Refused ? problem.message : 'The server did not answer.', true);
    });
    return text && number === latest ? JSON.parse(text) : null;
  };
  const preview = async () => {
    const answer = await answerTo('default/preview', wanted);
    if (!answer) return;
    tell(previewText(wanted, answer));
    set.textContent = answer.expires === 0 ? 'Set' : `Set, and expire ${counted(answer.expires, 'item')}`;
    set.classList.toggle('final', answer.expires > 0);
    answers.hidden = false;
  };
  const apply = async () => {
    const defaultTtl = wanted;
    change.focus();
    drop();
    const answer = await answerTo('default', defaultTtl);
    if (!answer) return;
    isEdited = false;
    tell(setText(defaultTtl, answer));
    refresh();
  };

  element.addEventListener('input', () => { isEdited = true; choice.show(); drop(); });
  element.addEventListener('submit', event => {
    event.preventDefault();
    drop();
    wanted = choice.value();
    if (wanted !== undefined) preview();
    else tell(`On takes a whole number of seconds from 1 to ${largestTtl.toLocaleString('en')}.`, true);
  });
  set.addEventListener('click', apply);
  cancel.addEventListener('click', () => {
    change.focus();
    drop();
    isEdited = false;
    choice.fill(container.defaultTtl);
  });
  return { element, show: shown => {
    container = shown;
    if (wanted !== undefined) preview();
    else if (!isEdited) choice.fill(container.defaultTtl);
  } };
}

// A container on the page. `show` says how many of its items have expired since it was last shown.
function containerPanel() {
  const heading = make('h2'), facts = make('p', { class: 'facts small' }), more = make('p', { class: 'small' });
  const host = make('div', { class: 'timeline' }), gone = make('p', { class: 'gone small' }), form = ttlForm();
  const element = make('section', { class: 'panel container' }, heading, facts, form.element, gone, host, more);
  let timeline = null, before = null;

  const tellGone = ({ named, count }, now) => {
    const few = named.slice(0, 5).flatMap(name => [', ', make('s', {}, name)]).slice(1);
    const others = count - Math.min(named.length, 5);
    gone.replaceChildren(`Expired by ${dateText(now)}: `, ...few, others > 0 ? ` and ${counted(others, 'other')}` : '');
  };

  const show = (container, now, axis) => {
    const past = before ? goneBetween(before, { ...container, now }) : { named: [], count: 0 };
    before = container;
    heading.textContent = container.name;
    facts.textContent = factsText(container);
    form.show(container);
    const hidden = container.live - container.items.length;
    more.textContent = hidden > 0 ? `${counted(hidden, 'more item')}, later to expire than these or never.` : '';
    more.hidden = hidden <= 0;
    if (past.count > 0) tellGone(past, now);
    gone.hidden = !gone.hasChildNodes();
    host.hidden = container.items.length === 0;
    const data = { now: 0, veil: 'past', lanes: container.items.map(item => laneOf(item, now)) };
    if (timeline) timeline.update(data, axis);
    else timeline = drawTimeline(host, data, axis);
    return past.count;
  };
  return { element, show, preview: left => timeline?.move(left) };
}

// The page.

const panels = new Map();
let snapshot = null;
let axis = countdownAxis(60);
const isNarrow = matchMedia('(max-width: 700px)');

function showClock() {
  const { now, mode, next } = snapshot;
  part.date.textContent = dateText(now);
  part.date.dateTime = new Date(now * 1000).toISOString();
  part.mode.textContent = `${mode} clock, second ${now}`;
  part.fixed.hidden = mode === 'virtual';
  part.controls.disabled = mode !== 'virtual';
  part.next.setAttribute('aria-disabled', String(next === undefined));
  part.next.textContent = next === undefined ? 'To the next expiry' : `To the next expiry, in ${durationText(next)}`;
  part.slider.disabled = next === undefined;
}

const emptyPage = () => make('section', { class: 'panel' }, make('p', {}, 'There is no container yet. Create one with any Cosmos DB client and the endpoint ',
    make('code', {}, `${location.origin}/`), ': it appears here by itself.'));

function showContainers() {
  axis = countdownAxis(snapshot.latest || 60, isNarrow.matches ? 4 : 9);
  const names = snapshot.containers.map(({ name }) => name);
  for (const name of panels.keys()) if (!names.includes(name)) panels.delete(name);
  for (const name of names) if (!panels.has(name)) panels.set(name, containerPanel());
  const elements = names.map(name => panels.get(name).element);
  // Only if there are others, so that nothing is drawn twice.
  const isSame = elements.length === part.containers.children.length && elements.every((element, i) => element === part.containers.children[i]);
  if (!isSame || elements.length === 0) part.containers.replaceChildren(...(elements.length ? elements : [emptyPage()]));
  return snapshot.containers.reduce((sum, container) => sum + panels.get(container.name).show(container, snapshot.now, axis), 0);
}

function tell(text, isBad = false) {
  part.message.textContent = text;
  part.message.classList.toggle('bad', isBad);
}

function show(text) {
  snapshot = snapshotOf(JSON.parse(text));
  showClock();
  const gone = showContainers();
  if (gone > 0) tell(`${counted(gone, 'item')} expired by ${dateText(snapshot.now)}.`);
}

// Being live.

let drawn = '';       // the answer that is on the page
let latestRequest = 0;  // its number: answers to earlier ones are ignored
let timer = 0;

function showState(sign, kind, text) {
  if (part.state.textContent !== `${sign} ${text}`) part.state.textContent = `${sign} ${text}`;
  part.state.className = `badge ${kind}`;
  document.body.classList.toggle('is-stale', kind !== 'good');
}

const isChoosing = () => part.slider.value !== '0';

function lostSight(problem) {
  const isLocked = problem instanceof Refused && problem.status === 401;
  part.controls.disabled = true;
  drawn = '';
  if (isLocked) askForKey();
  else if (problem instanceof Refused) showState('✗', 'bad', problem.message);
  else showState('✗', 'bad', 'not reachable, trying again');
}

async function refresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  const number = ++latestRequest;
  try {
    const text = await ask(`items?limit=${mostLanes}`);
    if (number !== latestRequest) return;
    part.unlock.hidden = true;
    showState('●', 'good', 'live');
    if (text !== drawn && !isChoosing()) show(drawn = text);
  } catch (problem) {
    if (number !== latestRequest) return;
    lostSight(problem);
  }
  timer = setTimeout(refresh, pause);
}

async function move(path, body) {
  choose(0);
  tell('');
  try {
    await ask(path, body);
  } catch (problem) {
    tell(problem instanceof Refused ? problem.message : 'The server is not reachable: the clock was not moved.', true);
  }
  await refresh();
}

const moveTo = left => move('clock/set', { now: snapshot.now + left });

// Asks for the key if the server has one of its own. Browsers sign only in secure contexts, such as localhost.
function askForKey() {
  showState('✗', 'odd', key ? 'not signed with this server’s key' : 'a key is needed');
  if (!globalThis.crypto?.subtle)
    tell('This server has a key of its own, and browsers sign with it only on this machine: forward the port, and open the page as localhost.', true);
  else part.unlock.hidden = false;
}

// Choosing a time: nothing moves until it is taken.

function choose(value) {
  part.slider.value = value;
  const left = axis.valueAt(part.slider.value / part.slider.max);
  part.here.hidden = !isChoosing();
  if (snapshot) showChoice(left);
}

function showChoice(left) {
  const count = snapshot.containers.flatMap(({ items }) => items).filter(item => item.left !== undefined && item.left <= left).length;
  const text = `+${durationText(left)}, ${dateText(snapshot.now + left)}: ${count.toLocaleString('en')} of these items ${count === 1 ? 'expires' : 'expire'}`;
  part.preview.textContent = isChoosing() ? text : '';
  part.slider.setAttribute('aria-valuetext', isChoosing() ? text : 'now');
  for (const panel of panels.values()) panel.preview(left);
}

const takeChoice = () => { if (isChoosing()) moveTo(axis.valueAt(part.slider.value / part.slider.max)); };

part.slider.addEventListener('input', () => choose(part.slider.value));
part.slider.addEventListener('pointerup', takeChoice);
part.slider.addEventListener('keydown', event => {
  if (event.key === 'Enter') takeChoice();
  if (event.key === 'Escape') choose(0);
});
part.slide.addEventListener('focusout', event => { if (!part.slide.contains(event.relatedTarget)) choose(0); });
part.here.addEventListener('click', () => { part.slider.focus(); takeChoice(); });

part.next.addEventListener('click', () => {
  if (snapshot?.next === undefined) tell('Nothing here will expire.');
  else moveTo(snapshot.next);
});
for (const button of part.controls.querySelectorAll('[data-seconds]'))
  button.addEventListener('click', () => move('clock/advance', { seconds: Number(button.dataset.seconds) }));
part.by.addEventListener('submit', event => {
  event.preventDefault();
  move('clock/advance', { seconds: part.seconds.valueAsNumber });
});
part.unlock.addEventListener('submit', event => {
  event.preventDefault();
  key = part.key.value.trim();
  refresh();
});
document.addEventListener('visibilitychange', refresh);
isNarrow.addEventListener('change', () => { if (snapshot) showContainers(); });
refresh();

// The report page: a verdict, the rules by verdict, and each violation as a timeline to step through. The data is a
// report as props/report/page.hpp describes it.

const statusWords = { 200: 'ok', 201: 'created', 204: 'no content', 400: 'bad request', 404: 'not found', 409: 'conflict' };
const statusText = status => statusWords[status] ? `${status} ${statusWords[status]}` : String(status);

// An answer that was cut off, or that is not JSON at all, is shown as it is.
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

// What is not ASCII as JSON escapes it: characters that look alike, or turn the text around, can be told apart.
const shownValue = value => JSON.stringify(value)
    .replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
const shownName = name => /^[\w.-]+$/.test(name) ? name : shownValue(name);

// Without its identity, which the request names.
function shownDocument({ partition, id, ...rest }) {
  return Object.entries(rest).map(([key, value]) => `${key} ${shownValue(value)}`).join(', ');
}

// The fields of an answer by name, so that two can be laid side by side; those of the document only if both have one.
function fieldsOf(answer, other) {
  const fields = new Map();
  for (const [key, value] of Object.entries(answer)) {
    if (key === 'status') fields.set('status', statusText(value));
    else if (key === 'document' && value && !other.document) fields.set(key, shownDocument(value));
    else if (key === 'document' && value)
      for (const [name, part] of Object.entries(value)) fields.set(name, shownValue(part));
    else if (key === 'documents' && Array.isArray(value))
      for (const item of value)
        if (item.id === undefined) fields.set('documents', String(item));
        else fields.set(`${shownName(item.partition)}/${shownName(item.id)}`, shownDocument(item));
    else fields.set(key.replaceAll('_', ' '), shownValue(value));
  }
  return fields;
}

function answersTable(step, store) {
  const whose = step.kind === 'law' ? 'The law demands' : 'The rules demand';
  const expected = parsed(step.expected), actual = step.crash ? null : parsed(step.answer);
  const rows = [];
  const row = (name, left, right) => rows.push(make('tr', { class: left === right ? '' : 'differs' },
      make('th', { scope: 'row' }, name), make('td', { class: 'mono' }, left),
      make('td', { class: 'mono actual' }, left === right ? right : `≠ ${right}`)));
  if (expected && actual) {
    const left = fieldsOf(expected, actual), right = fieldsOf(actual, expected);
    for (const name of new Set([...left.keys(), ...right.keys()])) row(name, left.get(name) ?? 'none', right.get(name) ?? 'none');
  } else {
    row('answer', step.expected, step.crash ?? step.answer);
  }
  return make('table', { class: 'answers' },
      make('thead', {}, make('tr', {}, make('td'), make('th', { scope: 'col' }, whose),
          make('th', { scope: 'col' }, `The ${store} answered`))),
      make('tbody', {}, ...rows),
      step.allowance ? make('caption', { class: 'small' }, step.allowance) : null);
}

// The story as data for the timeline.

const letters = { write: 'W', read: 'R', delete: 'D', query: 'Q', purge: 'P', index: 'I', setting: 'S' };
const ghostWords = { shown: 'shown although by the rules it is not there', hidden: 'not shown although by the rules it is there',
                     altered: 'shown otherwise than the rules say' };

function lifeTitle(life) {
  const how = life.ended ? `${life.ended === 'default changed' ? 'expired by a new default' : life.ended} at second ${life.due}`
      : life.due === undefined ? 'lives on' : `due at second ${life.due}`;
  return `${life.text}, from second ${life.since}; ${how}`;
}

function laneData(lane, story) {
  const isDocument = lane.kind === 'document';
  const parting = partingColumn(story);
  const marks = lane.marks.filter(mark => mark.kind !== 'setting' || mark.refused).map(mark => ({
    at: mark.at, text: mark.kind === 'clock' ? `${mark.text} s` : mark.text,
    letter: mark.kind === 'clock' ? null : letters[mark.kind], refused: mark.refused, differs: mark.at === parting,
    title: story.steps[story.columns[mark.at].step].words,
  }));
  const lives = lane.lives.map(life => ({ ...life, onceDue: life.once_due, kind: isDocument ? '' : 'setting', title: lifeTitle(life) }));
  const ghosts = lane.ghosts.map(ghost => ({ ...ghost, title: `${ghostWords[ghost.kind]} (${story.store})` }));
  const about = [lane.label, ...lives.map(life => life.title), ...ghosts.map(ghost => ghost.title)].join('. ');
  return { label: lane.label, quiet: !isDocument, about, lives, ghosts, marks };
}

const partingColumn = story => story.columns.findIndex(column => column.step === story.steps.length - 1);

function partingText({ steps, store }) {
  const last = steps.at(-1);
  return last.crash ? `the ${store} dies here` : last.kind === 'law' ? 'compared by the law' : `rules and ${store} part`;
}

function tickLabels({ columns }) {
  return columns.map(({ at }, index) => {
    if (index > 0 && columns[index - 1].at === at) return null;
    const isLong = index > 0 && String(at).length > 7;
    return isLong ? `+${at - columns[0].at}` : String(at);
  });
}

function legend(story) {
  const sample = (className, extra) => {
    const box = svgElement('svg', { width: 26, height: 14, 'aria-hidden': 'true' });
    box.append(svgElement('rect', { class: className, x: 1, y: 2, width: 24, height: 10, rx: 3, ...extra }));
    return make('span', { class: 'timeline' }, box);
  };
  const kinds = new Set(story.lanes.flatMap(lane => lane.ghosts.map(ghost => ghost.kind)));
  const used = new Set(story.lanes.flatMap(lane => lane.marks).map(mark => mark.kind));
  const documents = story.lanes.filter(lane => lane.kind === 'document');
  const isToCome = life => !life.ended && (life.until ?? Infinity) > partingColumn(story) + 1;
  const items = [];
  if (documents.some(lane => lane.lives.length > 0)) items.push([sample('life'), 'alive by the rules, to its deadline']);
  if (documents.some(lane => lane.lives.some(isToCome))) items.push([sample('life later'), 'still to come']);
  for (const kind of kinds)
    items.push([sample(`ghost ${kind}`, kind === 'hidden' ? {} : { fill: 'url(#hatch)' }), ghostWords[kind]]);
  const words = { write: 'W write', read: 'R read', delete: 'D delete', query: 'Q query', purge: 'P purge', index: 'I index',
                  setting: 'S settings' };
  const shown = Object.keys(words).filter(kind => used.has(kind) && (kind !== 'setting'
      || story.lanes.some(lane => lane.marks.some(mark => mark.kind === kind && mark.refused))));
  const isRefused = story.lanes.some(lane => lane.marks.some(mark => mark.refused && mark.kind !== 'clock'));
  if (shown.length) items.push(['', shown.map(kind => words[kind]).join(' · ') + (isRefused ? ' (dashed: refused or not found)' : '')]);
  return make('ul', { class: 'legend' }, ...items.map(([box, text]) => make('li', {}, box, text)));
}

function stepDetail(story, index) {
  const step = story.steps[index];
  const asked = step.kind === 'law' ? 'What the law compares: ' : step.kind === 'observation' ? 'Observation: ' : '';
  return [
    make('h3', {}, `${asked}${step.words}`),
    step.differs ? answersTable(step, story.store)
                 : make('p', {}, `Both answer${step.times ? ` each of ${counted(step.times, 'request')}` : ''}: ${statusText(parsed(step.answer)?.status ?? '')}`),
    step.rules.length ? make('h3', {}, step.differs ? 'The rules that decide it' : 'The rules behind it') : null,
    make('ul', { class: 'rules' }, ...step.rules.map(id => make('li', {}, make('b', {}, id), story.rules[id] ?? ''))),
    make('details', { class: 'more' }, make('summary', {}, step.times ? 'the first request and its answer' : 'request and answer as JSON'),
        make('pre', {}, [step.request, step.differs ? `expected  ${step.expected}` : null,
                         step.crash ?? `${step.differs ? 'answered  ' : ''}${step.answer}`].filter(Boolean).join('\n'))),
  ].filter(Boolean);
}

// A violation to step through.
function player(story) {
  let current = story.steps.length - 1;
  const axis = columnAxis(tickLabels(story));
  const columnOf = story.steps.map((_, index) => story.columns.findIndex(column => column.step === index));
  const host = make('div', { class: 'timeline', tabindex: 0, role: 'region', 'aria-label': 'Timeline; arrow keys step through it' });
  const detail = make('div', { class: 'detail', 'aria-live': 'polite' });
  const where = make('span', { class: 'where' });
  const button = (text, label, to) => make('button', { type: 'button', 'aria-label': label, title: label, onclick: () => go(to()) }, text);
  const controls = [button('|◀', 'First step (Home)', () => 0), button('◀', 'Step back (left arrow)', () => current - 1), where,
                    button('▶', 'Step on (right arrow)', () => current + 1),
                    button('▶|', 'Last step (End)', () => story.steps.length - 1)];
  const items = story.steps.map((step, index) => make('button', { type: 'button', class: step.differs ? 'differs' : '',
      onclick: () => go(index) },
      make('span', { class: 'second' }, `${step.now} s`), make('span', { class: 'words' }, step.words),
      make('span', {}, step.differs ? '✗ differs' : String(parsed(step.answer)?.status ?? ''))));
  const list = make('ol', { class: 'steps', 'aria-label': 'Steps' }, ...items.map(item => make('li', {}, item)));
  let timeline = null;

  const scrollToCurrent = () => { list.scrollTop = Math.max(items[current].offsetTop - list.offsetTop - 80, 0); };

  const go = index => {
    current = Math.min(Math.max(index, 0), story.steps.length - 1);
    items.forEach((item, i) => {
      item.toggleAttribute('aria-current', i === current);
      if (i === current) item.setAttribute('aria-current', 'step');
      item.tabIndex = i === current ? 0 : -1;
    });
    if (list.contains(document.activeElement)) items[current].focus({ preventScroll: true });
    scrollToCurrent();
    where.textContent = `Step ${current + 1 + story.left_out} of ${story.steps.length + story.left_out}, second ${story.steps[current].now}`;
    controls[0].disabled = controls[1].disabled = current === 0;
    controls[3].disabled = controls[4].disabled = current === story.steps.length - 1;
    detail.replaceChildren(...stepDetail(story, current));
    timeline?.move(columnOf[current]);
  };

  const keys = { ArrowRight: () => current + 1, ArrowLeft: () => current - 1, Home: () => 0, End: () => story.steps.length - 1 };
  const element = make('div', { class: 'player', onkeydown: event => {
    const isInList = list.contains(event.target);
    const to = keys[event.key] ?? (isInList && { ArrowDown: keys.ArrowRight, ArrowUp: keys.ArrowLeft }[event.key]);
    if (!to || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(to());
  } },
      host, legend(story),
      story.lanes_left_out ? make('p', { class: 'small' }, `${counted(story.lanes_left_out, 'lane')} that matter less are left out.`) : null,
      story.left_out ? make('p', { class: 'small' }, `The ${counted(story.left_out, 'step')} before these are left out.`) : null,
      make('div', { class: 'controls', role: 'group', 'aria-label': 'Step through time' }, ...controls,
          make('span', { class: 'small hint' }, 'arrow keys, Home and End step too')),
      make('div', { class: 'columns' }, list, detail));

  // Drawn when it is first seen: before that it has no width.
  const show = () => {
    const data = { now: columnOf[current], parting: partingColumn(story), partingText: partingText(story),
                   lanes: story.lanes.map(lane => laneData(lane, story)) };
    timeline ??= drawTimeline(host, data, axis);
    scrollToCurrent();
  };
  go(current);
  return { element, show, key: event => element.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, cancelable: true })) };
}

function violationSection(violation, id, isFirst) {
  const { story } = violation;
  const play = story ? player(story) : null;
  const section = make('details', { class: 'violation', id, open: isFirst },
      make('summary', {}, make('h2', {}, story?.gist ?? `The ${violation.store} breaks “${violation.property}”`)),
      make('p', { class: 'breaks' }, `The ${violation.store} breaks “${violation.property}”`),
      play?.element ?? make('p', {}, violation.too_large ? 'Its timeline would make this page too large: replay the trace to see it.'
                                                         : 'There is no timeline of it.'),
      violation.replay ? make('p', {}, 'Run it again: ', make('code', {}, violation.replay)) : null,
      violation.text ? make('details', { class: 'more' }, make('summary', {}, 'the report as text'), make('pre', {}, violation.text)) : null);
  const show = () => { if (section.open) play?.show(); };
  section.addEventListener('toggle', show);
  return { section, show, key: play?.key };
}

// The rules by verdict.

const verdicts = { fail: ['✗', 'bad'], differs: ['≠', 'odd'], unattributed: ['?', 'bad'], pass: ['✓', 'good'], unsupported: ['–', 'plain'], 'not exercised': ['·', 'plain'] };

function verdictCell(rule, violationId) {
  const [sign, kind] = verdicts[rule.verdict] ?? ['?', 'plain'];
  const hasStory = typeof rule.violation === 'number';
  const badge = make('span', { class: `badge ${kind}` }, `${sign} ${rule.verdict}${hasStory ? ': see why' : ''}`);
  return make('td', {}, hasStory ? make('a', { href: `#${violationId(rule.violation)}` }, badge) : badge,
      rule.verdict === 'unattributed' && rule.why ? make('div', { class: 'small' }, rule.why) : null,
      rule.reason ? make('div', { class: 'small' }, `expected: ${rule.reason}`) : null);
}

function matrix(results, idOf) {
  const rows = results[0].rules.map(rule => {
    const each = results.map(result => result.rules.find(other => other.id === rule.id) ?? { ...rule, verdict: 'not exercised', violation: null });
    return { rule, each, verdicts: new Set(each.map(other => other.verdict)) };
  });
  const isApart = row => row.verdicts.size > 1;
  const body = rows.map(row => ({ ...row, className: isApart(row) ? 'apart' : undefined }))
      .map(({ rule, each, className }) => make('tr', { class: className },
      make('th', { scope: 'row' }, rule.id), make('td', { class: 'level' }, rule.level === 'S' ? 'stated' : 'decided'),
      make('td', { class: 'sentence' }, rule.sentence, rule.reading ? make('div', { class: 'small' }, `read as: ${rule.reading}`) : null),
      ...each.map((other, store) => verdictCell(other, index => idOf(store, index))),
      results.length === 1 ? make('td', { class: 'number' }, (rule.checks ?? 0).toLocaleString('en')) : null));
  const kinds = Object.entries(verdicts).map(([verdict, [sign, kind]]) =>
      ({ text: `${sign} ${verdict}`, kind, isIn: row => row.verdicts.has(verdict) }));
  if (results.length > 1) kinds.unshift({ text: 'stores differ', kind: 'odd', isIn: isApart });
  const chips = kinds.filter(({ isIn }) => rows.some(isIn)).map(({ text, kind, isIn }) => make('button',
      { type: 'button', class: `badge ${kind}`, 'aria-pressed': 'false', onclick: event => filter(event.currentTarget, isIn) },
      `${text}: ${rows.filter(isIn).length}`));
  const filter = (chip, isIn) => {
    const isOn = chip.getAttribute('aria-pressed') === 'false';
    chips.forEach(other => other.setAttribute('aria-pressed', String(other === chip && isOn)));
    rows.forEach((row, i) => { body[i].hidden = isOn && !isIn(row); });
  };
  const head = make('tr', {}, ...['rule', 'level', 'what it says', ...results.map(result => result.store)]
      .map(text => make('th', { scope: 'col' }, text)), results.length === 1 ? make('th', { scope: 'col', class: 'number' }, 'checks') : null);
  return make('section', { 'aria-label': 'Rules by verdict' },
      make('h2', {}, results.length === 1 ? `The rules, as ${results[0].store} keeps them` : 'The rules, store by store'),
      make('div', { class: 'chips', role: 'group', 'aria-label': 'Show only' }, ...chips),
      make('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Table of rules' },
          make('table', { class: 'matrix' }, make('thead', {}, head), make('tbody', {}, ...body))));
}

// What a check exercised.
function exercisedSection({ rules = [], operations = [] }) {
  const number = count => make('td', { class: 'number' }, count.toLocaleString('en'));
  const table = (head, rows) => make('div', { class: 'wide' }, make('table', {}, make('thead', {}, make('tr', {},
      ...head.map(text => make('th', { scope: 'col', class: text === 'times' ? 'number' : undefined }, text)))), make('tbody', {}, ...rows)));
  return make('section', {},
      make('h2', {}, 'How often each rule was exercised'),
      table(['rule', 'level', 'what it says', 'times'], rules.map(rule => make('tr', {}, make('th', { scope: 'row' }, rule.id),
          make('td', { class: 'level' }, rule.level === 'S' ? 'stated' : 'decided'), make('td', { class: 'sentence' }, rule.sentence), number(rule.times)))),
      make('h2', {}, 'Requests and answers'),
      table(['operation', 'times', 'answers'], operations.map(({ name, times, answers }) => make('tr', {},
          make('th', { scope: 'row' }, name), number(times),
          make('td', {}, Object.entries(answers).map(([status, count]) => `${status} × ${count.toLocaleString('en')}`).join('   '))))));
}

function verdictLine(report) {
  const fails = (report.conformance ?? []).some(result => result.rules.some(rule => rule.verdict === 'fail'));
  const isBad = report.verdict ? ['violated', 'does not conform', 'not as expected'].includes(report.verdict)
      : fails || (report.violations ?? []).length > 0;
  const word = report.verdict ?? (isBad ? 'violated' : 'held');
  const isGood = ['held', 'conforms', 'as expected'].includes(word);
  return make('p', { class: 'lead' },
      make('span', { class: `badge ${isBad ? 'bad' : isGood ? 'good' : 'odd'}` }, `${isBad ? '✗' : isGood ? '✓' : '·'} ${word}`),
      report.summary ? make('span', {}, report.summary) : null);
}

function build(report) {
  const results = report.conformance ?? [];
  const idOf = (store, index) => `store-${store}-violation-${index}`;
  const own = (report.violations ?? []).map((violation, index) => ({ violation, id: `violation-${index}` }));
  const theirs = results.flatMap((result, store) => (result.violations ?? []).map((violation, index) => ({ violation, id: idOf(store, index) })));
  const sections = [...own, ...theirs].map(({ violation, id }, index) => violationSection(violation, id, index === 0 && own.length > 0));
  document.title = report.title;
  const all = sections.map(({ section }) => section);
  document.getElementById('page').replaceChildren(...[
    make('h1', {}, report.title),
    verdictLine(report),
    ...all.slice(0, own.length),
    results.length ? matrix(results, idOf) : null,
    ...all.slice(own.length),
    report.exercised ? exercisedSection(report.exercised) : null,
    report.repeat ? make('p', {}, 'Repeat with: ', make('code', {}, report.repeat)) : null,
  ].filter(Boolean));
  sections.forEach(({ show }) => show());
  const open = () => {
    const section = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (section?.matches('details.violation')) { section.open = true; section.scrollIntoView(); }
  };
  addEventListener('hashchange', open);
  open();
  // Where nothing has the focus, the arrows step through the first violation that is unfolded.
  addEventListener('keydown', event => {
    const isStep = event.target === document.body && ['ArrowLeft', 'ArrowRight'].includes(event.key);
    if (isStep) sections.find(({ section, key }) => section.open && key)?.key(event);
  });
}

build(JSON.parse(document.getElementById('data').textContent));

// Lanes over time, drawn as SVG from plain data, wherever the data comes from.
//
// data: { now, veil?, parting?, partingText?, lanes: [{ label, title?, quiet?, about?,
//           lives:   [{ from, until?, ended?, text?, kind?, onceDue?: [value], title? }],
//           ghosts?: [{ from, until, kind: 'shown' | 'hidden' | 'altered', text?, title? }],
//           marks?:  [{ at, letter?, text?, refused?, differs?, title? }] }] }
//
// Times are values of the axis, which places them. A life without `until` goes on beyond the right edge; what is beyond
// `now` is veiled, or with `veil: 'past'` what is before it. `parting` is the value of the first wrong
// answer.
//
// axis: { place(value) -> 0..1, ticks: [{ at, label }], name: of what it measures, least: pixels that it needs, cell: how
//         far a mark at a value reaches, in values: 1 if values are columns, 0 if they are instants }

const svgNamespace = 'http://www.w3.org/2000/svg';

function svgElement(name, attributes = {}, ...children) {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const units = [['y', 31536000], ['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];

// Seconds as people say them, in their largest units: 1 d 2 h.
function durationText(seconds, most = 2) {
  const parts = [];
  for (const [name, size] of units) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) parts.push(`${count.toLocaleString('en')} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === most) break;
  }
  return parts.join(' ') || '0 s';
}

// An axis of the time that is left: even where it is short, and the farther away the denser, so that a second and a year
// can both be seen. `valueAt` is the whole second at a place.
function countdownAxis(latest, tickCount = 8) {
  const even = Math.max(10, latest / 1e5), whole = Math.log1p(latest / even);
  const place = value => Math.log1p(Math.max(value, 0) / even) / whole;
  const round = [...units].reverse().flatMap(([name, size]) => (name === 'y' ? [1, 3, 10, 30, 100, 300, 1000, 3000]
      : name === 'd' ? [1, 3, 10, 30, 90] : name === 'h' ? [1, 3, 6, 12] : [1, 5, 10, 30]).map(count => count * size));
  const ticks = [{ at: 0, label: 'now' }];
  for (const at of round)
    if (place(at) - place(ticks.at(-1).at) >= 1 / tickCount && place(at) <= 1 - 0.6 / tickCount)
      ticks.push({ at, label: `+${durationText(at)}` });
  return { place, valueAt: at => Math.min(Math.round(even * Math.expm1(at * whole)), latest), ticks, name: 'from now', least: 0, cell: 0 };
}

// An axis of columns: each has the same room, and more only where its label needs it. A column without a label belongs
// to the one before.
function columnAxis(labels, columnWidth = 46, characterWidth = 8) {
  const widths = labels.map(() => columnWidth);
  labels.forEach((label, first) => {
    if (label === null) return;
    let next = first + 1;
    while (next < labels.length && labels[next] === null) ++next;
    const missing = label.length * characterWidth + 14 - columnWidth * (next - first);
    if (missing > 0) widths[next - 1] += missing;
  });
  const edges = [0];
  for (const width of widths) edges.push(edges.at(-1) + width);
  const total = edges.at(-1) || 1;
  return {
    place: value => {
      const column = Math.min(Math.max(Math.floor(value), 0), labels.length);
      const within = (value - column) * (widths[column] ?? 0);
      return (edges[column] + within) / total;
    },
    ticks: labels.flatMap((label, at) => label === null ? [] : [{ at, label }]),
    name: 'second',
    least: total,
    cell: 1,
  };
}

// One for the document: a pattern in a timeline that is folded away would fill nothing in the others.
function ensureHatching() {
  if (document.getElementById('hatch')) return;
  const pattern = svgElement('pattern',
      { id: 'hatch', width: 8, height: 8, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      svgElement('rect', { class: 'hatch-paper', width: 8, height: 8 }),
      svgElement('line', { class: 'hatch', x1: 2, x2: 2, y2: 8 }));
  const holder = svgElement('svg', { width: 0, height: 0, style: 'position: absolute', 'aria-hidden': 'true' }, pattern);
  document.body.append(holder);
}

// Draws into the element, and again whenever its width changes. Returns { update(data, axis), move(now) }.
function drawTimeline(host, data, axis) {
  const size = { label: 18, lane: 38, quiet: 30, head: 26, foot: 24, gutter: 170, bar: 20, mark: 9, narrow: 620 };
  let parts = null;

  const draw = () => {
    const available = host.clientWidth || 800;
    const isNarrow = available < size.narrow;
    const left = isNarrow ? 4 : size.gutter;
    const width = Math.max(available, left + axis.least + 4);
    const margin = axis.cell ? 0 : size.mark + 2;  // for half of a mark at the first instant
    const x = value => left + margin + Math.min(Math.max(axis.place(value), 0), 1) * (width - left - margin - 4);
    const heights = data.lanes.map(lane => (lane.quiet ? size.quiet : size.lane) + (isNarrow ? size.label : 0));
    const bottom = heights.reduce((sum, height) => sum + height, size.head);
    const height = bottom + (data.parting === undefined ? 6 : size.foot);
    const root = svgElement('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'list',
                                     'aria-label': 'Timeline, a lane for each document' });
    if (data.parting !== undefined) root.append(...partingOf(x, bottom, width));
    root.append(...ticksOf(x, bottom));
    const labels = svgElement('g', { 'aria-hidden': 'true' });
    if (!isNarrow) labels.append(svgElement('rect', { class: 'gutter', width: left, height: bottom }));
    if (!isNarrow) labels.append(svgElement('text', { class: 'tick', x: 4, y: size.head - 9 }, axis.name));
    let top = size.head;
    data.lanes.forEach((lane, index) => {
      root.append(laneOf(lane, x, top, heights[index], width));
      labels.append(labelOf(lane, top, heights[index], isNarrow));
      top += heights[index];
    });
    parts = { labels, x, left, width, bottom, veil: svgElement('rect', { class: 'veil', y: size.head, height: bottom - size.head }),
              cursor: svgElement('rect', { class: 'cursor', y: size.head - 2, height: bottom - size.head + 4, rx: 5 }) };
    root.append(parts.veil, parts.cursor, labels);
    host.replaceChildren(root);
    move(data.now);
  };

  // Labels stay where they can be read.
  const keepLabels = () => parts?.labels.setAttribute('transform', `translate(${host.scrollLeft} 0)`);

  const move = now => {
    data.now = now;
    if (!parts) return;
    const from = parts.x(now), end = parts.x(now + axis.cell);
    const isPast = data.veil === 'past';
    parts.veil.setAttribute('x', isPast ? parts.left : end);
    parts.veil.setAttribute('width', Math.max(isPast ? from - parts.left : parts.width - end, 0));
    parts.cursor.setAttribute('x', from);
    parts.cursor.setAttribute('width', Math.max(end - from, 1));
    parts.cursor.classList.toggle('bad', now === data.parting);
    if (host.scrollWidth > host.clientWidth) host.scrollLeft = (from + end - host.clientWidth) / 2;
    keepLabels();
  };

  const partingOf = (x, bottom, width) => {
    const from = x(data.parting), end = x(data.parting + axis.cell), middle = (from + end) / 2;
    const text = data.partingText ?? '', room = text.length * 4.2;  // to each side
    const anchor = middle + room > width ? 'end' : middle - room < 0 ? 'start' : 'middle';
    const at = { start: from, middle, end: Math.min(end, width - 4) }[anchor];
    return [svgElement('rect', { class: 'parting', x: from, y: size.head, width: end - from, height: bottom - size.head }),
            svgElement('text', { class: 'parting-text', x: at, y: bottom + 17, 'text-anchor': anchor }, `▲ ${text}`)];
  };

  const ticksOf = (x, bottom) => {
    return axis.ticks.flatMap(({ at, label }) => [
      svgElement('line', { class: 'grid', x1: x(at), x2: x(at), y1: size.head - 6, y2: bottom }),
      svgElement('text', { class: 'tick', x: x(at) + 4, y: size.head - 9 }, label),
    ]);
  };

  const titled = (element, title) => {
    if (title) element.prepend(svgElement('title', {}, title));
    return element;
  };

  const middleOf = (lane, top, height) => top + height - (lane.quiet ? size.quiet : size.lane) / 2;

  const labelOf = (lane, top, height, isNarrow) => {
    const y = isNarrow ? top + 15 : middleOf(lane, top, height) + 4;
    const label = svgElement('text', { class: 'label', x: isNarrow ? 20 : 4, y }, shortLabel(lane.label, isNarrow ? 38 : 19));
    return svgElement('g', { class: lane.quiet ? 'quiet' : '' }, titled(label, lane.title ?? lane.label));
  };

  const laneOf = (lane, x, top, height, width) => {
    const group = svgElement('g', { class: 'lane', role: 'listitem', 'aria-label': lane.about ?? lane.label });
    const middle = middleOf(lane, top, height);
    group.append(svgElement('line', { class: 'lane-line', x1: 0, x2: width, y1: top + height, y2: top + height }));
    for (const life of lane.lives) group.append(...lifeOf(life, x, middle, width));
    for (const ghost of lane.ghosts ?? []) group.append(ghostOf(ghost, x, middle));
    for (const mark of lane.marks ?? []) group.append(markOf(mark, x, middle));
    return group;
  };

  const lifeOf = (life, x, middle, width) => {
    const isCut = life.ended === 'deleted' || life.ended === 'overwritten';
    const kind = life.kind ?? '';
    // In a column, what a request begins or ends does so in the middle, where its mark is.
    const half = kind ? 0 : axis.cell / 2;
    const from = x(life.from + half), end = life.until === undefined ? width : x(life.until + (isCut ? half : 0));
    const top = middle - size.bar / 2;
    // The part after the first wrong answer is drawn lighter.
    const seen = life.ended || data.parting === undefined ? end : Math.min(end, x(data.parting + axis.cell));
    const bars = [svgElement('rect', { class: `life ${kind}`, x: from, y: top, width: Math.max(seen - from, 2),
                                       height: size.bar, rx: kind ? 3 : 5 })];
    if (end > seen && !kind)
      bars.push(svgElement('rect', { class: 'life later', x: seen, y: top, width: end - seen, height: size.bar }));
    else if (end > seen)
      bars.push(svgElement('rect', { class: `life ${kind}`, x: seen - 4, y: top, width: end - seen + 4, height: size.bar }));
    if (life.until !== undefined && !kind && !isCut) bars.push(svgElement('line', { class: 'end', x1: end, x2: end, y1: top - 5, y2: top + size.bar + 5 }));
    if (life.until === undefined && !kind && end - from > 60)
      bars.push(svgElement('text', { class: `life-text ${end > seen ? 'later' : ''}`, x: end - 18, y: middle + 4 }, '→'));
    for (const at of life.onceDue ?? [])
      bars.push(titled(svgElement('line', { class: 'once-due', x1: x(at), x2: x(at), y1: top - 5, y2: top + size.bar + 5 }),
                       'it was due here before the default was changed'));
    const indent = kind ? 8 : size.mark + 8;
    if (life.text && life.text.length * 6.6 <= seen - from - indent - 4)
      bars.push(svgElement('text', { class: `life-text ${kind}`, x: from + indent, y: middle + 4 }, life.text));
    else if (life.text && axis.cell === 0)  // where values are instants, nothing else claims the room behind the end
      bars.push(svgElement('text', { class: 'life-text beside', x: end + 8, y: middle + 4 }, life.text));
    return bars.map(bar => titled(bar, bar.querySelector('title') ? '' : life.title ?? life.text));
  };

  const ghostOf = (ghost, x, middle) => {
    const from = x(ghost.from), end = x(ghost.until), top = middle - size.bar / 2;
    const box = { x: from + 1, y: top, width: Math.max(end - from - 2, 4), height: size.bar, rx: 4 };
    if (ghost.kind !== 'hidden') box.fill = 'url(#hatch)';
    return titled(svgElement('rect', { class: `ghost ${ghost.kind}`, ...box }), ghost.title);
  };

  const markOf = (mark, x, middle) => {
    const at = (x(mark.at) + x(mark.at + axis.cell)) / 2;
    if (!mark.letter)
      return titled(svgElement('text', { class: 'step-text', x: at, y: middle + 4 }, mark.text), mark.title);
    const kinds = ['mark', mark.refused && 'refused', mark.differs && 'differs'].filter(Boolean).join(' ');
    return titled(svgElement('g', { class: kinds },
        svgElement('circle', { cx: at, cy: middle, r: size.mark }),
        svgElement('text', { x: at, y: middle + 4 }, mark.letter)), mark.title);
  };

  ensureHatching();
  host.addEventListener('scroll', keepLabels);
  new ResizeObserver(() => draw()).observe(host);
  draw();
  return { move, update: (newData, newAxis = axis) => { data = newData; axis = newAxis; draw(); } };
}

// Shortened in the middle, because names often differ only at their end.
function shortLabel(label, most) {
  const plain = label.replace(/[\u0000-\u001f]/g, '·');
  if (plain.length <= most) return plain;
  const half = Math.floor((most - 1) / 2);
  return `${plain.slice(0, half)}…${plain.slice(-half)}`;
}

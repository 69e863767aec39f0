// Runs at the end of a report page in a browser, and writes on the page what is wrong. The address names the kind of page:
// #violation, #crowd, #long, #matrix or #held.

const wrong = [...problems];
const expect = (what, holds) => { if (!holds) wrong.push(what); };
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const press = (key, target) => target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const about = location.hash.slice(1);

// Every page loads nothing, fits the window, has a name for each button, and colours with enough contrast (WCAG: 4.5).
expect('something was loaded', performance.getEntriesByType('resource').length === 0);
expect('the page is wider than the window', document.documentElement.scrollWidth <= innerWidth);
expect('there is no heading', all('h1').length === 1 && document.title === all('h1')[0].textContent);
for (const button of all('button')) expect('a button has no name', (button.ariaLabel ?? button.textContent).trim() !== '');
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const luminance = name => [1, 3, 5].map(at => parseInt(colour(name).slice(at, at + 2), 16) / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
for (const [ink, paper] of [['ink', 'paper'], ['ink', 'panel'], ['faint', 'paper'], ['faint', 'panel'], ['bad', 'panel'],
                            ['bad', 'bad-paper'], ['bad-ink', 'bad'], ['good', 'good-paper'], ['odd', 'odd-paper'],
                            ['life-ink', 'life'], ['later-ink', 'later'], ['setting-ink', 'setting'], ['faint', 'grid']]) {
  const [dark, light] = [luminance(ink), luminance(paper)].sort((a, b) => a - b);
  expect(`${ink} cannot be read on ${paper}`, (light + 0.05) / (dark + 0.05) >= 4.5);
}
expect('the colour scheme is not the one asked for', matchMedia('(prefers-color-scheme: dark)').matches === (luminance('paper') < 0.5));

// Stepping by keys, by buttons and by the list moves the cursor, the list and the details alike.
function checkPlayer(violation, stepCount) {
  const host = violation.querySelector('.timeline[role=region]'), cursor = violation.querySelector('.cursor');
  const items = all('.steps button', violation), buttons = all('.controls button', violation);
  const current = () => items.findIndex(item => item.getAttribute('aria-current') === 'step');
  const place = () => Number(cursor.getAttribute('x'));
  expect('there are other steps', items.length === stepCount);
  expect('it does not begin with the step that differs', current() === stepCount - 1 && items.at(-1).classList.contains('differs'));
  expect('the cursor does not show where they part', cursor.classList.contains('bad'));
  expect('the answers are not side by side', all('.answers tr.differs', violation).length > 0);
  expect('there are no sentences of rules', all('.rules li', violation).some(({ textContent }) => textContent.length > 20));
  const last = place();
  press('ArrowLeft', host);
  expect('the left arrow does not step back', current() === stepCount - 2 && place() < last && !cursor.classList.contains('bad'));
  expect('the future is not veiled', Number(violation.querySelector('.veil').getAttribute('width')) > 0);
  press('Home', host);
  expect('Home does not lead to the first step', current() === 0 && buttons[0].disabled && !buttons[3].disabled);
  const first = violation.querySelector('.detail').textContent;
  press('ArrowLeft', host);
  expect('there is a step before the first', current() === 0);
  buttons[2].click();
  expect('the button does not step on', current() === 1 && violation.querySelector('.detail').textContent !== first);
  items[0].focus();
  press('ArrowDown', items[0]);
  expect('the list does not step by arrows', current() === 2);
  items[0].click();
  expect('the list does not lead to a step', current() === 0);
  press('End', host);
  expect('End does not lead to the last step', current() === stepCount - 1 && place() === last);
  document.activeElement.blur();
  press('ArrowLeft', document.body);
  expect('without a focus the arrows do nothing', current() === stepCount - 2);
  press('ArrowRight', document.body);
}

const data = JSON.parse(document.getElementById('data').textContent);
const ruleCount = (data.conformance?.[0].rules ?? data.exercised?.rules)?.length;

const pages = {
  violation() {
    const violation = document.querySelector('.violation');
    expect('the sentence is missing', /^At second 1 the engine still shows/.test(violation.querySelector('h2').textContent));
    const lanes = all('.lane', violation).map(lane => lane.getAttribute('aria-label'));
    expect(`other lanes: ${lanes}`, lanes.length === 3 && lanes[0] === 'clock' && lanes[2].startsWith('c0/p0/d0. '));
    expect('the lane does not tell its life', /expired at second 1\. shown although/.test(lanes[2]));
    expect('there is no bar', all('.lane .life:not(.setting)', violation).length === 1);
    expect('there is no ghost', all('.lane .ghost.shown', violation).length === 1);
    expect('the bar does not end where the ghost begins',
           Math.abs(all('line.end')[0].x1.baseVal.value - all('.lane .ghost')[0].x.baseVal.value) < 3);
    checkPlayer(violation, 4);
  },
  crowd() {
    const violation = document.querySelector('.violation');
    expect('the sentence is missing', /^At second 1 the engine still shows c0\/p0\/d0, .*; so with 16 other documents\.$/
        .test(violation.querySelector('h2').textContent));
    const labels = all('.label', violation).map(label => label.lastChild.data);
    expect(`other lanes: ${labels}`, labels.join() === 'clock,c0,c0/p0/d0 … d16 (17)');
    expect('a label does not fit', all('.label', violation).every(label => label.getBBox().width <= 166));
    const words = all('.steps .words', violation).map(step => step.textContent);
    expect(`other steps: ${words}`, words[1] === 'create c0/p0/d0 ... d16 (17 documents)');
    checkPlayer(violation, 4);
    all('.steps button', violation)[1].click();
    expect('it does not say how many requests there are', /Both answer each of 17 requests: 201/.test(violation.querySelector('.detail').textContent));
  },
  long() {
    const violation = document.querySelector('.violation');
    expect('it does not say what is left out', /The [0-9,]+ steps before these are left out/.test(violation.textContent));
    expect('names are not escaped', all('.steps .words').some(({ textContent }) => textContent.includes(String.raw`"\u0007d30"`)));
    expect('hostile names became markup', all('b, i, img', document.querySelector('.steps')).length === 0);
    expect('a label is too long', all('.label').every(label => label.lastChild.data.length <= 38));
    checkPlayer(violation, 60);
  },
  matrix() {
    expect('there are no rows', all('.matrix tbody tr').length === ruleCount);
    expect('stores have no columns', all('.matrix thead th').length === 5);
    const chip = all('.chips button').find(({ textContent }) => textContent.startsWith('✗ fail'));
    chip.click();
    expect('the filter hides nothing', all('.matrix tbody tr:not([hidden])').length === 2);
    chip.click();
    expect('the filter stays', all('.matrix tbody tr:not([hidden])').length === ruleCount);
    const link = document.querySelector('.matrix a');
    const violation = document.getElementById(link.hash.slice(1));
    expect('a fail leads nowhere', violation?.matches('.violation'));
    violation.open = true;
    return new Promise(resolve => setTimeout(resolve, 50)).then(() => checkPlayer(violation, 4));
  },
  held() {
    expect('there is a violation', all('.violation').length === 0);
    expect('it does not say that it held', /held/.test(document.querySelector('.lead').textContent));
    expect('there are other rules', all('tbody')[0].rows.length === ruleCount);
  },
};

await pages[about]();
wrong.push(...problems.filter(problem => !wrong.includes(problem)));
document.body.append(Object.assign(document.createElement('pre'), { id: 'probe', textContent: wrong.length ? wrong.join('\n') : 'as it should be' }));

import {
  type FakeElement,
  fakeDocument,
  fakeHistory,
  fakeWindow,
  fire,
} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {clearParams, go, guardLeaving, param, path, search, setParam, visits} from './address.ts';

const now = () => fakeHistory.gone.at(-1);
beforeEach(() => {
  go('/apps');
});

test('going somewhere is another entry, and a visit, by which a heading takes the focus', () => {
  const [entries, before] = [fakeHistory.gone.length, visits.value];
  go('/apps/12?tab=logs');
  assert.deepEqual([path.value, search.value, param('tab')], ['/apps/12', '?tab=logs', 'logs']);
  assert.deepEqual([fakeHistory.gone.length, visits.value], [entries + 1, before + 1]);
});

test('a value of a page is kept in its address, in the same entry, and is no visit', () => {
  const [entries, before] = [fakeHistory.gone.length, visits.value];
  setParam('q', 'user:bob a&b=c');
  setParam('sort', '-id');
  assert.equal(param('q'), 'user:bob a&b=c', 'whatever it holds');
  assert.deepEqual([param('sort'), param('none')], ['-id', '']);
  assert.deepEqual([fakeHistory.gone.length, visits.value], [entries, before]);
  setParam('q', '');
  assert.equal(now(), '/apps?sort=-id');
  setParam('sort', '');
  assert.equal(now(), '/apps', 'without a ? where nothing is kept');
  setParam('q', 'x');
  clearParams();
  assert.deepEqual([now(), param('q')], ['/apps', '']);
});

test('what is typed and not sent asks before somebody goes', () => {
  let asked = '';
  Object.assign(globalThis, {
    confirm: (words: string) => {
      asked = words;
      return false;
    },
  });
  const end = guardLeaving(() => 'Not saved.');
  const endQuiet = guardLeaving(() => null);
  go('/elsewhere');
  assert.deepEqual([asked, path.value], ['Not saved.', '/apps']);
  Object.assign(globalThis, {confirm: () => true});
  go('/elsewhere');
  assert.equal(path.value, '/elsewhere');
  end();
  endQuiet();
  Object.assign(globalThis, {confirm: () => assert.fail('nobody guards any more')});
  go('/apps');
});

function link(href: string, attributes: Record<string, string> = {}): FakeElement {
  const made = fakeDocument.createElement('a');
  const inner = fakeDocument.createElement('b');
  made.append(inner);
  for (const [name, value] of Object.entries({href, ...attributes})) made.setAttribute(name, value);
  fakeDocument.body.append(made);
  return inner;
}

test('a link of ours goes without asking for the frame again', () => {
  const event = fire(link('/runs?q=a'), 'click', {button: 0});
  assert.deepEqual([event.defaultPrevented, now()], [true, '/runs?q=a']);
});

test('what is no page of ours, or wants another tab, is the browser’s', () => {
  const left = (inner: FakeElement, more: object = {}) =>
    !fire(inner, 'click', {button: 0, ...more}).defaultPrevented;
  for (const href of ['/api/v1/jobs', '/platform/x', '/auth/v1/app', '/s/a.js', '/ui/tools/x.py'])
    assert.ok(left(link(href)), href);
  assert.ok(left(link('https://elsewhere.test/')));
  assert.ok(left(link('/apps/1/result.zip', {download: ''})));
  assert.ok(left(link('/help', {target: '_blank'})));
  assert.ok(left(link('/help'), {ctrlKey: true}));
  assert.ok(left(link('/help'), {metaKey: true}));
  assert.ok(left(link('/help'), {shiftKey: true}));
  assert.ok(left(link('/help'), {button: 1}));
  assert.ok(left(fakeDocument.body));
  assert.equal(path.value, '/apps');
});

test('back is a visit to where one was', () => {
  go('/runs');
  fakeHistory.gone.pop();
  const before = visits.value;
  fakeWindow.tell({type: 'popstate'} as never);
  assert.deepEqual([path.value, visits.value], ['/apps', before + 1]);
});

import {fakeDocument, fakeWindow, type FakeElement} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobRow} from '../api/shapes.ts';
import {type FromHub, type ToHub, VERSION, type Window} from './messages.ts';
import {
  changed,
  counts,
  deafen,
  follow,
  heardAt,
  listen,
  live,
  look,
  onChange,
  outdated,
  skew,
} from './port.ts';

/** The hub's end of the line. */
class FakeWorker {
  static made: FakeWorker[] = [];
  readonly said: ToHub[] = [];
  onmessage: ((event: {data: FromHub}) => void) | null = null;
  constructor(readonly address: unknown) {
    FakeWorker.made.push(this);
  }
  postMessage(message: ToHub) {
    this.said.push(message);
  }
  tell(message: FromHub) {
    this.onmessage?.({data: message});
  }
  words = () => this.said.splice(0).map((message) => message.say);
}
Object.assign(globalThis, {Worker: FakeWorker});

const VIEW = {mine: false, group: '', filter: '', sort: '', from: 0, to: 8};
const COUNTS = {all: 1, alive: 0, waiting: 0, failed: 0, slots: 0, gpuSlots: 0, mineAlive: 0};
const window = (total: number): Window => ({total, from: 0, rows: [], problems: []});
const told = (type: string, more: object = {}) => ({type, ...more}) as never;
let lost = 0;
listen('ann', () => ++lost);
const [worker = new FakeWorker('')] = FakeWorker.made;

test('a tab says who it is and whether it is seen', () => {
  assert.equal(worker.address, '/s/worker.js');
  assert.deepEqual(worker.said.splice(0), [
    {say: 'hello', user: 'ann', version: VERSION},
    {say: 'hidden', hidden: false},
  ]);
  fakeDocument.hidden = true;
  fakeDocument.tell(told('visibilitychange'));
  assert.deepEqual(worker.said.splice(0), [{say: 'hidden', hidden: true}]);
  fakeDocument.hidden = false;
});

test('what the hub tells is what the signals are', () => {
  worker.tell({say: 'live', live: true, heard: 77, trouble: ''});
  worker.tell({say: 'clock', skew: 5});
  worker.tell({say: 'counts', counts: COUNTS});
  assert.deepEqual([live.value, heardAt.value, skew.value, counts.value?.all], [true, 77, 5, 1]);
});

test('windows go to who looks under their key, until that ends', () => {
  const seen: number[] = [];
  const end = look('a', VIEW, (one) => seen.push(one.total));
  look('a', {...VIEW, from: 8}, (one) => seen.push(one.total * 10));
  assert.deepEqual(worker.words(), ['view', 'view']);
  worker.tell({say: 'window', key: 'a', window: window(1)});
  worker.tell({say: 'window', key: 'b', window: window(2)});
  assert.deepEqual(seen, [10], 'the newest who looks, and no other key');
  end();
  worker.tell({say: 'window', key: 'a', window: window(3)});
  assert.deepEqual([seen, worker.words()], [[10], ['close']]);
});

test('jobs that are followed come to who follows them', () => {
  const seen: (readonly JobRow[])[] = [];
  const end = follow('f', ['7'], (rows) => seen.push(rows));
  assert.deepEqual(worker.said.splice(0), [{say: 'jobs', key: 'f', ids: ['7']}]);
  worker.tell({say: 'jobs', key: 'f', rows: []});
  end();
  worker.tell({say: 'jobs', key: 'f', rows: []});
  assert.equal(seen.length, 1);
  worker.words();
});

test('a tab back from the browser’s cache says hello again, with all that it looks at', () => {
  const ends = [look('v', VIEW, () => {}), follow('f', ['1'], () => {})];
  worker.words();
  fakeWindow.tell(told('pagehide'));
  assert.deepEqual(worker.words(), ['bye']);
  fakeWindow.tell(told('pageshow', {persisted: false}));
  assert.deepEqual(worker.words(), [], 'a page that is loaded says it by itself');
  fakeWindow.tell(told('pageshow', {persisted: true}));
  assert.deepEqual(worker.words(), ['hello', 'hidden', 'view', 'jobs']);
  for (const end of ends) end();
  fakeWindow.tell(told('pageshow', {persisted: true}));
  assert.deepEqual(
    worker.words(),
    ['close', 'close', 'hello', 'hidden'],
    'what ended is not asked',
  );
});

test('what changed is told to who began to hear before it', () => {
  worker.tell({say: 'changed', ids: ['old']});
  const heard: (readonly string[])[] = [];
  const end = onChange((ids) => heard.push(ids));
  assert.deepEqual(heard, [], 'what was before is no change');
  worker.tell({say: 'changed', ids: ['1']});
  worker.tell({say: 'changed', ids: ['1']});
  end();
  worker.tell({say: 'changed', ids: ['2']});
  assert.deepEqual(heard, [['1'], ['1']]);
  assert.deepEqual(changed.value, ['2']);
});

test('a session that is over, and pages that are of another build', () => {
  worker.tell({say: 'lost'});
  assert.equal(lost, 1);
  assert.equal(outdated.value, false);
  worker.tell({say: 'old'});
  assert.equal(outdated.value, true);
});

test('who logs off hears nothing more, and who logs on after him is another', () => {
  deafen();
  assert.deepEqual([live.value, counts.value, worker.words()], [false, null, ['bye']]);
  listen('bob', () => {});
  assert.deepEqual(worker.said.splice(0)[0], {say: 'hello', user: 'bob', version: VERSION});
  assert.equal(FakeWorker.made.length, 1, 'the same line');
  const body: FakeElement = fakeDocument.body;
  assert.equal(body.childNodes.length, 0, 'and nothing was drawn');
});

import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobRow} from '../api/shapes.ts';
import {job, VIEW} from './fake_tab.ts';
import {chosen, folded, inOrder} from './jobs.ts';
import {KeptViews} from './kept_views.ts';
import type {ViewAsked} from './messages.ts';

const STATES = ['pending', 'running', 'failed', 'finished', 'held'];
/** So many jobs, unlike each other, the same at every run. */
function jobsOf(count: number): Map<string, JobRow> {
  const all = Array.from({length: count}, (_, i) => {
    const id = i % 7 === 0 ? `${i - (i % 21)}[${i}]` : String(i);
    return job(id, {
      user: `u${(i * 7) % 4}`,
      wm_state: STATES[(i * 3) % 5] ?? '',
      submit_time: 1 + ((i * 37) % 101),
      start_time: i % 3 ? (i * 31) % 97 : null,
      job_name: `many${i}`,
      nalloc_slot: (i * 13) % 9,
    });
  });
  return new Map(all.map((one) => [one.jobid, one]));
}
const ids = (rows: readonly JobRow[]) => rows.map((row) => row.jobid);
const plainly = (jobs: ReadonlyMap<string, JobRow>, view: ViewAsked, now: number) => {
  const rows = inOrder(chosen(jobs.values(), view, 'u1', now).rows, view.sort, now, 'u1');
  return ids(view.fold ? folded(rows) : rows);
};
const VIEWS: readonly Partial<ViewAsked>[] = [
  {},
  {sort: '-jobid'},
  {filter: 'many1'},
  {filter: 'user:u2 -state:failed', sort: 'elapsed'},
  {mine: true},
  {group: 'pending', sort: 'nalloc_slot'},
  {fold: true},
  {filter: 'age<50', sort: '-user'},
  {filter: 'wrong:x many2'},
];

test('a view is the same whether it is made anew or of what is kept, in whatever order', () => {
  const jobs = jobsOf(300);
  const kept = new KeptViews();
  for (let turn = 0; turn < 3; ++turn) {
    for (const more of [...VIEWS, ...[...VIEWS].reverse()]) {
      const view = {...VIEW, ...more};
      assert.deepEqual(ids(kept.of(jobs, view, 'u1', 110).rows), plainly(jobs, view, 110));
    }
  }
});

test('another part of the same view is the same rows: nothing is done again', () => {
  const jobs = jobsOf(50);
  const kept = new KeptViews();
  const {rows} = kept.of(jobs, VIEW, 'u1', 110);
  assert.equal(kept.of(jobs, {...VIEW, from: 20, to: 40}, 'u1', 111).rows, rows);
  assert.notEqual(kept.of(jobs, {...VIEW, sort: 'user'}, 'u1', 111).rows, rows);
});

test('what changed is seen once it is told; an age is not older than some seconds', () => {
  const jobs = jobsOf(20);
  const kept = new KeptViews();
  const view = {...VIEW, filter: 'age<50'};
  const before = kept.of(jobs, view, 'u1', 110).rows.length;
  assert.equal(kept.of(jobs, view, 'u1', 114).rows.length, before);
  assert.equal(kept.of(jobs, view, 'u1', 300).rows.length, 0, 'all are older by then');
  jobs.set('99', job('99', {submit_time: 299}));
  kept.forget();
  assert.deepEqual(ids(kept.of(jobs, view, 'u1', 300).rows), ['99']);
});

test('wrong words are told each time', () => {
  const kept = new KeptViews();
  const view = {...VIEW, filter: 'wrong:x'};
  for (let turn = 0; turn < 2; ++turn)
    assert.equal(kept.of(jobsOf(5), view, 'u1', 110).problems.length, 1);
});

test('of very many views not all are kept', () => {
  const jobs = jobsOf(5);
  const kept = new KeptViews();
  const first = kept.of(jobs, VIEW, 'u1', 110).rows;
  for (let i = 0; i < 40; ++i) kept.of(jobs, {...VIEW, filter: `many${i}`}, 'u1', 110);
  assert.notEqual(kept.of(jobs, VIEW, 'u1', 110).rows, first);
});

test('with 100,000 jobs a scroll costs nothing, and a letter less than all in order', () => {
  const jobs = jobsOf(100_000);
  const kept = new KeptViews();
  const took = (view: Partial<ViewAsked>) => {
    const begun = process.cpuUsage();
    kept.of(jobs, {...VIEW, ...view}, 'u1', 110);
    const {user, system} = process.cpuUsage(begun); // microseconds: what others do does not count
    return user + system;
  };
  const whole = took({});
  const scrolled = took({from: 50_000, to: 50_060});
  assert.ok(scrolled < 5_000, `${scrolled} us`);
  const typed = took({filter: 'many12'});
  assert.ok(typed < whole, `${typed} us, all in order ${whole} us`);
});

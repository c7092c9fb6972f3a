import {fakeDocument, fakeHistory, fire} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import type {ComponentType} from 'preact';
import {go} from '../state/address.ts';
import {session} from '../state/session.ts';
import Audit from './audit/page.tsx';
import Cluster from './cluster/page.tsx';
import Config from './config/page.tsx';
import HostPage from './host/page.tsx';
import Plans from './plans/page.tsx';
import Queues from './queues/page.tsx';
import {answerAll} from './shared/fake_answers.ts';
import {gpu, host, jobRow, plan, queue} from './shared/fake_rows.ts';
import {FakeHub} from './shared/fake_hub.ts';
import {FakePage, settled} from '../parts/fake_page.ts';
import {FakeServer, No} from './shared/fake_server.ts';
import UsagePage from './usage/page.tsx';

const hub = new FakeHub('root');
let page: FakePage | null = null;
let server = new FakeServer();
beforeEach(() => {
  sessionStorage.clear();
  session.value = {user: 'root', cluster: 'c', version: '1', admin: true, now: 900};
  server = answerAll(new FakeServer());
});
afterEach(() => {
  page?.end();
  page = null;
});
async function shown(at: string, component: unknown, ...args: readonly string[]) {
  go(at);
  page = await FakePage.of(component as ComponentType<{args: readonly string[]}>, {args});
  return page;
}
/** From 2 o’clock to 1; written so, as one with such a field looks like a promise. */
const MOVED = JSON.parse(
  '{"id":"12","name":"mnist","user":"ann","queue":"q","plan":"/","runs":false,' +
    '"now":7200,"then":3600,"verdict":"gains"}',
);
const posts = () => server.asked.splice(0).filter(({what}) => !what.startsWith('GET'));

test('a queue is closed for a reason, which is asked first; it is opened without', async () => {
  const queues = await shown('/queues', Queues);
  server.on('POST /api/v1/queues/normal/close', {}).on('POST /api/v1/queues/q2/open', {});
  await queues.press('Close queue normal');
  assert.match(queues.text('#close'), /It takes no more jobs/);
  posts();
  await queues.submit('#close form');
  assert.match(queues.text('#close [role=alert]'), /Why, and until when\? Users read it/);
  assert.deepEqual(posts(), []);
  await queues.type('why', 'maintenance');
  assert.match(queues.text('#close .cmd'), /badmin qclose -C maintenance normal/);
  await queues.submit('#close form');
  assert.deepEqual(posts()[0], {
    what: 'POST /api/v1/queues/normal/close',
    body: {why: 'maintenance'},
  });
  assert.equal(queues.one('#close').open, false);
  await queues.press('Open queue q2');
  await queues.submit('#close form');
  assert.equal(posts()[0]?.what, 'POST /api/v1/queues/q2/open');
});

test('what bounds a queue and who may use it is in its row', async () => {
  const row = (await shown('/queues', Queues)).text('.rows [role=row]');
  assert.match(
    row,
    /normal for everybody 30 Open maintenance 1 2 0 64 slots in all, runs 1h 00m at most all/,
  );
  page?.end();
  server.on('GET /api/v1/queues', {
    queues: [queue(undefined, {max: null, runlimit_s: null, users: []})],
  });
  assert.match((await shown('/queues', Queues)).text('.rows'), /none all/);
});

test('a host is drained for a reason; its GPUs say how they are', async () => {
  server.on('GET /api/v1/hosts/n1', {
    host: host(undefined, {
      gpus: [
        gpu(0),
        gpu(1, undefined, {
          gpu_status: 'stuck',
          gpu_reason: 'XID 79',
          ut: null,
          temp: null,
          jobids: [],
        }),
      ],
    }),
  });
  const one = await shown('/cluster/n1', HostPage, 'n1');
  const rows = one.texts('[aria-labelledby=h-g] .rows [role=row]');
  assert.match(rows[0] ?? '', /0 In use H100 91 % 32 GiB of 64 GiB 60 °C 12/);
  assert.match(rows[1] ?? '', /1 Stuck H100 – .*XID 79/);
  hub.window('host', [
    jobRow('12', undefined, {exec_host: ['n1']}),
    jobRow('13', undefined, {exec_host: ['n10']}),
  ]);
  await settled();
  assert.equal(one.all('[aria-labelledby=h-j] .rows [role=row]').length, 1, 'n10 is another');
  server.on('POST /api/v1/hosts/n1/close', {});
  await one.press('Drain');
  assert.match(one.text('#close'), /what else runs goes on to its end/);
  await one.type('why', 'a fan');
  await one.submit('#close form');
  assert.deepEqual(posts()[0]?.body, {why: 'a fan', drain: true});
});

test('a host that is silent says for how long, and what to do there', async () => {
  server.on('GET /api/v1/hosts/n1', {
    host: host(undefined, {state: 'silent', connected: false, silent_since: 1}),
  });
  const one = await shown('/cluster/n1', HostPage, 'n1');
  assert.match(one.text('.note'), /Nothing was heard from it for .*systemctl status wnoded/);
});

test('plans stand below each other, and loans are told once, from whom to whom', async () => {
  server.on('GET /api/v1/plans', {
    plans: [
      plan(undefined, {plan: '/research/alice', used: 0, demand: 0, owns: null, loans: []}),
      plan(undefined, {plan: '/research'}),
      plan(undefined, {plan: '/serving', loans: [{from: '/serving', to: '/research', amount: 1}]}),
    ],
  });
  const plans = await shown('/plans', Plans);
  const names = plans.all('.rows [role=row]').map((row) => row.querySelector('bdi')?.textContent);
  assert.deepEqual(names, ['research', 'alice', 'serving']);
  assert.equal(plans.all('[aria-labelledby=h-l] p').length, 1);
  assert.match(plans.text('[aria-labelledby=h-l]'), /\/serving lends 1 slot to \/research/);
  const bar = plans.one('.planbar').getAttribute('aria-label');
  assert.equal(bar, 'uses 2, deserves 2, wants 4, owns 4');
});

test('a configuration is judged as it is typed, and leads to what is wrong', async () => {
  const config = await shown('/config/queues.conf', Config, 'queues.conf');
  server.on('POST /api/v1/config/queues.conf/check', {
    wrong: ['queues.conf:2: RUN_LIMIT 7200s exceeds'],
    warnings: [],
    changes: [],
  });
  await config.type('queues.conf', '[normal]\nRUN_LIMIT = 7200\n');
  await new Promise((done) => setTimeout(done, 450));
  await settled();
  assert.match(config.text('.explained'), /Line 2 RUN_LIMIT 7200s exceeds/);
  assert.equal(config.called('Save queues.conf').disabled, true, 'what is wrong is not handed on');
  assert.equal(config.called('Who gains, who waits').disabled, true);
  await config.press('Line 2');
  assert.equal(fakeDocument.activeElement.dataset.selected, '9 25');
});

test('what is changed is a difference, its outcome told, and nothing written', async () => {
  server.on('POST /api/v1/config/queues.conf/check', {
    wrong: [],
    warnings: [],
    changes: ['queue normal: priority: 30 → 40'],
  });
  server.on('POST /api/v1/config/queues.conf/preview', {
    at: 1,
    gains: 2,
    waits: 1,
    same: 3,
    users: [{name: 'ann', gains: 2, waits: 1, same: 3}],
    queues: [],
    jobs: [MOVED],
  });
  const config = await shown('/config/queues.conf', Config, 'queues.conf');
  posts();
  await config.type('queues.conf', '[normal]\npriority = 40\n');
  await new Promise((done) => setTimeout(done, 450));
  await settled();
  assert.match(config.text('.keys'), /priority: 30 → 40/);
  assert.match(config.text('.diff'), /\+ new: priority = 40/);
  await config.press('Who gains, who waits');
  assert.match(
    config.text('[aria-labelledby=h-w]'),
    /2 jobs would start earlier, 1 job later, 3 as now/,
  );
  assert.match(config.text('[aria-labelledby=h-w]'), /12 mnist ann q \/ .* 1h 00m earlier/);
  assert.match(
    config.text('[aria-labelledby=h-a]'),
    /install -m 644 queues.conf \/etc\/wm\/queues.conf/,
  );
  const written = posts().filter(({what}) => !/\/(check|preview)$/.test(what));
  assert.deepEqual(written, []);
  await config.type('queues.conf', '[normal]\npriority = 41\n');
  assert.match(config.text('[aria-labelledby=h-w]'), /The text was changed since: look again/);
});

test('who leaves an edited configuration is asked; a draft is there again', async () => {
  const config = await shown('/config/queues.conf', Config, 'queues.conf');
  await config.type('queues.conf', 'mine\n');
  let asked = '';
  Object.assign(globalThis, {
    confirm: (words: string) => {
      asked = words;
      return false;
    },
  });
  go('/queues');
  assert.match(asked, /edited and not saved. The draft stays/);
  assert.equal(fakeHistory.gone.at(-1), '/config/queues.conf');
  Object.assign(globalThis, {confirm: () => true});
  config.end();
  const again = await shown('/config/queues.conf', Config, 'queues.conf');
  assert.equal(again.field('queues.conf').value, 'mine\n');
  await again.press('Discard');
  assert.equal(again.field('queues.conf').value, '[normal]');
});

test('files that would be refused, and what is not in force yet, are told first', async () => {
  const config = await shown('/config/queues.conf', Config, 'queues.conf');
  assert.match(config.text(), /would be refused: queues.conf:1: what/);
  assert.match(config.text(), /not in force yet .*priority: 1 → 2/);
  assert.match(config.text(), /It includes part.conf , which are edited in a shell/);
});

test('the map is a legend that filters, and a table of the same', async () => {
  const map = await shown('/cluster', Cluster);
  assert.match(map.text('.facts'), /GPUs in use 1 of 2 Healthy 1 of 2/);
  assert.deepEqual(map.texts('.legends button'), ['In use 1', 'Silent 1']);
  await map.press('Silent 1');
  assert.equal(fakeHistory.gone.at(-1), '/cluster?q=state%3Asilent');
  await map.press('Table');
  assert.deepEqual(map.texts('.rows [role=row] a'), ['n2'], 'the filter goes with it');
  await map.press('Map');
  await map.press('Silent 1');
  assert.equal(fakeHistory.gone.at(-1), '/cluster');
});

test('whose a GPU is follows its jobs; what is hidden is told to be so', async () => {
  hub.said.length = 0;
  const map = await shown('/cluster?by=owner', Cluster);
  assert.deepEqual(
    hub.said.flatMap((one) => (one.say === 'jobs' ? one.ids : [])),
    ['12'],
  );
  assert.match(map.text('.legends'), /Not visible to you 1/);
  hub.jobs('map', [jobRow('12')]);
  await settled();
  assert.deepEqual(map.texts('.legends button'), ['ann 2']);
});

test('usage is by whom and over how long, as the address says', async () => {
  const usage = await shown('/usage?by=plan&days=7', UsagePage);
  assert.ok(server.words().includes('GET /api/v1/usage?by=plan&days=7'));
  assert.match(usage.text('[aria-labelledby=h-b] .rows'), /ann 1 2 3 66.7 % 20s 50 %/);
  await usage.press('Queue');
  await usage.press('30 d');
  assert.equal(fakeHistory.gone.at(-1), '/usage?by=queue');
  assert.ok(server.words().includes('GET /api/v1/usage?by=queue&days=30'));
  page?.end();
  server.asked.length = 0;
  await shown('/usage?by=nonsense&days=3', UsagePage);
  assert.ok(
    server.words().includes('GET /api/v1/usage?by=user&days=30'),
    'what is none is the usual',
  );
});

test('budgets and limits say how much is gone, and of whom', async () => {
  const usage = await shown('/usage', UsagePage);
  assert.match(usage.text('[aria-labelledby=h-u] .rows'), /gpu 2026-11 GPU 100 31 2 67 33 % –/);
  assert.match(usage.text('[aria-labelledby=h-m] .rows'), /lim user ann 4 of 16 slots/);
});

test('the record of acts is asked for by kind and about whom; a broken one is told', async () => {
  const audit = await shown('/audit?about=n1', Audit);
  assert.ok(server.words().includes('GET /api/v1/audit?kind=&user=n1'));
  await audit.press('Log-ons and keys');
  assert.ok(server.words().includes('GET /api/v1/audit?kind=doorhist&user=n1'));
  const field = audit.field('about');
  field.value = ' ann ';
  fire(field, 'change');
  await settled();
  assert.ok(server.words().includes('GET /api/v1/audit?kind=doorhist&user=ann'));
  server.on('GET /api/v1/audit', {acts: [], checked: 3, broken: 'act 2 is missing'});
  await audit.press('Everything');
  assert.match(audit.text('.sub'), /not as it was written: act 2 is missing/);
});

test('what an administrator may not do now is refused in the dialog', async () => {
  const queues = await shown('/queues', Queues);
  server.on('POST /api/v1/queues/normal/close', new No(403, 'the right was taken from you'));
  await queues.press('Close queue normal');
  await queues.type('why', 'x');
  await queues.submit('#close form');
  assert.equal(queues.text('#close [role=alert]'), 'the right was taken from you');
  assert.equal(queues.one('#close').open, true);
});

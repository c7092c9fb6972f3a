import {fakeDocument, FakeElement, type FakeNode, fakeWindow} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, test} from 'node:test';
import type {ComponentType} from 'preact';
import {go} from '../state/address.ts';
import {session} from '../state/session.ts';
import Account from './account/page.tsx';
import Applications from './applications/page.tsx';
import Audit from './audit/page.tsx';
import Cluster from './cluster/page.tsx';
import Compare from './compare/page.tsx';
import Config from './config/page.tsx';
import Connections from './connections/page.tsx';
import NewExperiment from './experiment/page.tsx';
import {answerAll} from './shared/fake_answers.ts';
import {hostile, jobRow, type Name, plain, SCRIPT} from './shared/fake_rows.ts';
import Frameworks from './frameworks/page.tsx';
import HomePage from './home/page.tsx';
import HostPage from './host/page.tsx';
import Models from './models/page.tsx';
import NewSearch from './new_search/page.tsx';
import Notebooks from './notebooks/page.tsx';
import Plans from './plans/page.tsx';
import ProjectPage from './project/page.tsx';
import Projects from './projects/page.tsx';
import Queues from './queues/page.tsx';
import RunPage from './run/page.tsx';
import RunsPage from './runs/page.tsx';
import SearchPage from './search/page.tsx';
import Searches from './searches/page.tsx';
import ServicePage from './service/page.tsx';
import Services from './services/page.tsx';
import {FakeHub} from './shared/fake_hub.ts';
import {FakePage, settled} from '../parts/fake_page.ts';
import {FakeServer, No} from './shared/fake_server.ts';
import SpacePage from './space/page.tsx';
import Spaces from './spaces/page.tsx';
import UsagePage from './usage/page.tsx';

type PageOf = ComponentType<{args: readonly string[]}>;
interface Case {
  readonly at: string;
  readonly page: PageOf;
  readonly args?: readonly string[];
  /** What stands on it when all is answered. */
  readonly says: RegExp;
}
const of = (at: string, page: unknown, says: RegExp, ...args: readonly string[]): Case => ({
  at,
  page: page as PageOf,
  args,
  says,
});
const CASES: readonly Case[] = [
  of('/account', Account, /laptop/),
  of('/apps', Applications, /mnist/),
  of('/apps/12', RunPage, /alice and bob have equal shares/, '12'),
  of('/audit', Audit, /a fan/),
  of('/cluster', Cluster, /Largest start now/),
  of('/cluster?as=table', Cluster, /n1/),
  of('/cluster/n1', HostPage, /H100/, 'n1'),
  of('/compare?runs=1,2', Compare, /mnist/),
  of('/config', Config, /admin ckconfig finds no errors/, 'queues.conf'),
  of('/connections', Connections, /endpoint e/),
  of('/frameworks', Frameworks, /no: no torch/),
  of('/', HomePage, /mnist/),
  of('/models', Models, /loss/),
  of('/new/experiment', NewExperiment, /Create and run/),
  of('/new/search', NewSearch, /Parameter|parameter/),
  of('/notebooks', Notebooks, /Start a notebook/),
  of('/plans', Plans, /lends 1 slot to/),
  of('/projects', Projects, /default/),
  of('/projects/p', ProjectPage, /exp/, 'p'),
  of('/queues', Queues, /for everybody/),
  of('/runs', RunsPage, /the first/),
  of('/searches', Searches, /tune/),
  of('/searches/tune', SearchPage, /trial 1/, 'tune'),
  of('/services', Services, /digits/),
  of('/services/digits', ServicePage, /digits/, 'digits'),
  of('/spaces', Spaces, /Not logged on/),
  of('/spaces/s', SpacePage, /started/, 's'),
  of('/usage', UsagePage, /4 of 16 slots/),
];

const hub = new FakeHub();
let page: FakePage | null = null;
afterEach(() => {
  page?.end();
  page = null;
});
function logged(admin: boolean) {
  session.value = {user: 'ann', cluster: 'c', version: '1', admin, now: 900};
}
async function shown({at, page: component, args = []}: Case): Promise<FakePage> {
  sessionStorage.clear();
  go(at);
  page = await FakePage.of(component, {args});
  await settled();
  return page;
}
/** What the hub tells on pages that follow jobs. */
async function told(name: Name) {
  hub.counts({all: 1, alive: 1});
  for (const key of ['applications', 'home-running', 'home-pending', 'home-recent', 'host'])
    hub.window(key, [jobRow('12', name)]);
  hub.window('home-failed', [jobRow('9', name, {wm_state: 'failed', finish_time: 9e9})]);
  await settled();
}

for (const one of CASES) {
  test(`${one.at}: what it is about is there, in one heading`, async () => {
    logged(true);
    answerAll(new FakeServer());
    const drawn = await shown(one);
    await told(plain);
    assert.match(drawn.text(), one.says);
    assert.equal(drawn.all('h1').length, 1);
    assert.equal(drawn.all('.ghost').length, 0, 'nothing is waited for');
  });
}

function eachNode(node: FakeNode, look: (node: FakeNode) => void) {
  look(node);
  for (const child of node.childNodes) eachNode(child, look);
}

for (const one of CASES) {
  test(`${one.at}: hostile names are words, in whatever place`, async () => {
    logged(true);
    answerAll(new FakeServer(), hostile);
    await shown(one);
    await told(hostile);
    eachNode(fakeDocument.body, (node) => {
      if (!(node instanceof FakeElement)) {
        const hidden = /[\u202e\u200b]/.test(node.textContent);
        // A field holds what is edited, as it is.
        if (node.parentNode?.localName !== 'textarea')
          assert.ok(!hidden, `it turns the line round: ${node.textContent}`);
        return;
      }
      assert.notEqual(node.localName, 'script');
      for (const [name, value] of node.attributes) {
        if (name === 'href') assert.match(value, /^(\/|#|https:\/\/wm\.test\/)/, value);
        if (name === 'style') assert.fail('the policy refuses it');
        if (['title', 'aria-label'].includes(name))
          assert.ok(!/[\u202e]/.test(value), `${name}: ${value}`);
      }
    });
    assert.equal(fakeDocument.body.querySelector('script'), null);
    assert.ok(SCRIPT.length > 0);
  });
}

/** Those that ask for something before there is anything on them. */
const LOADED = CASES.filter(
  ({at}) => !['/apps', '/', '/runs'].includes(at) && !at.startsWith('/compare'),
);
for (const one of LOADED) {
  test(`${one.at}: while the master does not answer it says so, and heals by hand`, async () => {
    logged(true);
    const server = new FakeServer();
    const away = new No(503, 'the master does not answer');
    const real = globalThis.fetch;
    globalThis.fetch = async () => Response.json({title: away.title}, {status: away.status});
    const drawn = await shown(one);
    assert.match(drawn.text('[role=alert]'), /the master does not answer/);
    globalThis.fetch = real;
    answerAll(server);
    await drawn.press('Try again');
    await told(plain);
    assert.match(drawn.text(), one.says);
    assert.equal(drawn.all('h1').length, 1);
  });
}

for (const at of ['/audit', '/config']) {
  test(`${at}: who is no administrator has nothing there`, async () => {
    logged(false);
    const server = new FakeServer();
    const one = CASES.find((found) => found.at === at) ?? assert.fail(at);
    const drawn = await shown(one);
    assert.match(
      drawn.text(),
      at === '/config' ? /for administrators/ : /nothing that you may see/,
    );
    assert.equal(at === '/config' ? server.words().length : 0, 0, 'and nothing is asked');
  });
}

for (const [at, offered] of [
  ['/queues', 'Close queue normal'],
  ['/cluster/n1', 'Drain'],
] as const) {
  test(`${at}: acts of administrators are theirs`, async () => {
    const one = CASES.find((found) => found.at === at) ?? assert.fail(at);
    answerAll(new FakeServer());
    logged(true);
    assert.ok((await shown(one)).called(offered));
    page?.end();
    logged(false);
    const drawn = await shown(one);
    assert.throws(() => drawn.called(offered));
  });
}

const EMPTY: Readonly<Record<string, object>> = {
  '/api/v1/queues': {queues: []},
  '/api/v1/plans': {plans: []},
  '/api/v1/projects': {projects: []},
  '/api/v1/models': {models: []},
  '/api/v1/spaces': {spaces: [], away: []},
  '/api/v1/searches': {searches: []},
  '/api/v1/services': {services: [], others: []},
  '/api/v1/notebooks': {now: 1, profiles: [], notebooks: []},
  '/api/v1/connections': {connections: []},
  '/api/v1/runs': {runs: [], count: 0},
  '/api/v1/hosts': {hosts: []},
  '/api/v1/audit': {acts: [], checked: 0, broken: ''},
  '/api/v1/keys': {now: 1, keys: []},
  '/api/v1/usage': {now: 200_000, from: 100_000, by: 'user', rows: [], days: []},
  '/api/v1/budgets': {budgets: []},
  '/api/v1/limits': {limits: []},
};
const NEXT: readonly (readonly [at: string, says: RegExp])[] = [
  ['/queues', /There is none: queues.conf names them.*badmin reconfig/],
  ['/plans', /one plan for all.*badmin ckconfig/],
  ['/projects', /No project yet: New experiment makes one/],
  ['/models', /No model yet: save that of a finished run/],
  ['/spaces', /No space yet/],
  ['/searches', /dlicmd --hpo-start/],
  ['/services', /dlim model deploy/],
  ['/notebooks', /bsub -app notebook/],
  ['/connections', /None yet/],
  ['/runs', /Nothing of yours has run yet.*bsub/],
  ['/cluster', /systemctl start wnoded/],
  ['/audit', /There is none/],
  ['/account', /wmkey create NAME/],
  ['/usage', /bacct -u all/],
  ['/apps', /No application yet.*dlicmd/],
  ['/', /Nothing of yours runs or waits. Three ways to start/],
];
for (const [at, says] of NEXT) {
  test(`${at}: where nothing is, the next step and its command are named`, async () => {
    logged(true);
    const server = answerAll(new FakeServer());
    for (const [path, answer] of Object.entries(EMPTY)) server.on(`GET ${path}`, answer);
    const drawn = await shown(CASES.find((found) => found.at === at) ?? assert.fail(at));
    hub.counts();
    for (const key of [
      'applications',
      'home-running',
      'home-pending',
      'home-recent',
      'home-failed',
    ])
      hub.window(key, []);
    await settled();
    assert.match(drawn.text(), says);
  });
}

test('what a page listened to is let go of when it is left', async () => {
  logged(true);
  answerAll(new FakeServer());
  for (const one of CASES) {
    await shown(one);
    await told(plain);
    page?.end();
    page = null;
  }
  assert.deepEqual([fakeWindow.heard('scroll'), fakeWindow.heard('resize')], [0, 0]);
  const open = new Set<string>();
  for (const message of hub.said) {
    if (message.say === 'view' || message.say === 'jobs') open.add(message.key);
    if (message.say === 'close') open.delete(message.key);
  }
  assert.deepEqual([...open], [], 'views that nobody looks at any more');
});

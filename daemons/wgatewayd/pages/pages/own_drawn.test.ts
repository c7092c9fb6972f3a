import {fakeHistory, fire} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import type {ComponentType} from 'preact';
import {go} from '../state/address.ts';
import {session} from '../state/session.ts';
import Account from './account/page.tsx';
import Compare from './compare/page.tsx';
import Connections from './connections/page.tsx';
import HomePage from './home/page.tsx';
import Models from './models/page.tsx';
import Notebooks from './notebooks/page.tsx';
import ProjectPage from './project/page.tsx';
import SearchPage from './search/page.tsx';
import Searches from './searches/page.tsx';
import ServicePage from './service/page.tsx';
import Services from './services/page.tsx';
import {answerAll} from './shared/fake_answers.ts';
import {compared, jobRow, notebook, search, service, trial} from './shared/fake_rows.ts';
import {FakeHub} from './shared/fake_hub.ts';
import {FakePage, settled} from '../parts/fake_page.ts';
import {FakeServer, No} from './shared/fake_server.ts';
import SpacePage from './space/page.tsx';
import Spaces from './spaces/page.tsx';

const hub = new FakeHub();
let page: FakePage | null = null;
let server = new FakeServer();
beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  session.value = {user: 'ann', cluster: 'c', version: '1', admin: false, now: 900};
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
const asked = () => server.words().filter((what) => !what.startsWith('GET'));

test('Home: what failed is first, until it is seen; what waits says why', async () => {
  const home = await shown('/', HomePage);
  const ended = Date.now() / 1000 - 60;
  hub.window('home-running', [jobRow('1', undefined, {step: 9, loss: 0.5})]);
  hub.window('home-pending', [
    jobRow('2', undefined, {wm_state: 'pending', start_time: null, pend_reason: 'needs 4 at once'}),
  ]);
  hub.window('home-failed', [
    jobRow('3', undefined, {
      wm_state: 'failed',
      finish_time: ended,
      exit_reason: 'CUDA out of memory',
    }),
  ]);
  hub.window('home-recent', []);
  await settled();
  assert.match(home.text('[aria-labelledby=h-need]'), /Needs you 1.*CUDA out of memory/);
  assert.match(home.text('[aria-labelledby=h-run]'), /2 slots of 1–4, step 9, loss 0.5/);
  assert.match(home.text('[aria-labelledby=h-wait]'), /needs 4 at once/);
  assert.match(home.text('[aria-labelledby=h-share]'), /it comes next|deserves/);
  assert.match(home.text('[aria-labelledby=h-notes]'), /n1 : ok , a fan/);
  await home.press('Seen');
  assert.equal(home.all('[aria-labelledby=h-need]').length, 0);
});

test('Home: while no list has come it says why', async () => {
  const home = await shown('/', HomePage);
  hub.live(false, 'the master does not answer');
  await settled();
  assert.match(home.text('[role=alert]'), /list of jobs has not come: the master does not answer/);
  hub.live(true);
});

test('Account: a key’s secret is shown once, with the lines that use it', async () => {
  const account = await shown('/account', Account);
  const made = {name: 'ci', scopes: 'read', created: 900, expires: 9e9, secret: 's3cret'};
  server.on('POST /api/v1/keys', made);
  await account.type('name', 'ci');
  await account.submit('form');
  assert.equal(account.text('#secret'), 's3cret');
  assert.match(account.text(), /dlicmd.py --logon --username ann --password s3cret/);
  account.end();
  assert.doesNotMatch((await shown('/account', Account)).text(), /s3cret/);
});

test('Account: a key goes after a question; all sessions end after one, too', async () => {
  const account = await shown('/account', Account);
  server.on('DELETE /api/v1/keys/laptop', {}).on('DELETE /api/v1/sessions', new No(503, 'away'));
  await account.press('Revoke');
  assert.deepEqual(asked(), []);
  await account.press('Revoke it');
  assert.deepEqual(asked(), ['DELETE /api/v1/keys/laptop']);
  await account.press('End all sessions');
  await account.press('End them');
  assert.equal(account.text('[role=alert]'), 'away');
});

test('Notebooks: one that waits says its place, one that is idle when it stops', async () => {
  const now = Date.now() / 1000;
  server.on('GET /api/v1/notebooks', {
    now,
    profiles: [{name: 'jupyter', description: ''}],
    notebooks: [
      notebook(undefined, {
        id: '1',
        ahead: 3,
        job: jobRow('1', undefined, {wm_state: 'pending', start_time: null, pend_reason: 'no GPU'}),
      }),
      notebook(undefined, {
        id: '2',
        web: {
          state: 'warned',
          address: 'x',
          active: now - 1500,
          busy: '',
          idle_limit: 1800,
          stops_at: now + 300,
        },
        shared: ['bob'],
      }),
      notebook(undefined, {
        id: '3',
        job: jobRow('3', undefined, {wm_state: 'finished', finish_time: 300}),
        web: {state: 'idle', active: 100, busy: '', idle_limit: 60, stops_at: 0},
      }),
    ],
  });
  const books = await shown('/notebooks', Notebooks);
  const card = (id: string) => books.text(`[data-id="${id}"]`);
  assert.match(card('1'), /3 ahead of it in queue normal. no GPU/);
  assert.match(card('2'), /Idle.*Stops in (4m 5|5m 0)\ds/);
  assert.match(card('2'), /Shared with bob/);
  assert.match(card('3'), /Stopped, idle.*what it saved stays/);
  server.on('POST /api/v1/notebooks/2/extend', {}).on('POST /api/v1/notebooks/1/stop', {});
  await books.press('Extend by 1 h');
  assert.deepEqual(server.asked.find(({what}) => what.endsWith('extend'))?.body, {minutes: 60});
  server.asked.length = 0;
  await books.press('Cancel');
  assert.deepEqual(asked(), ['POST /api/v1/notebooks/1/stop'], 'what waits is lost nothing of');
});

test('Notebooks: stopping one that runs asks first; another’s is opened by its link', async () => {
  server.on('GET /api/v1/notebooks', {now: 1, profiles: [], notebooks: [notebook()]});
  const books = await shown('/notebooks/9?owner=bob', Notebooks, '9');
  assert.match(books.text(), /Notebook 9 of bob.*done by its owner’s account/);
  server.on('POST /auth/v1/app', new No(403, 'it is not shared with you'));
  await books.press('Open');
  assert.match(books.text('[role=alert]'), /not shared with you/);
  await books.press('Stop');
  assert.match(books.text('#confirm'), /Its kernels end/);
});

test('Searches: how far, the best so far, and one that pauses', async () => {
  server.on('GET /api/v1/searches', {
    searches: [search(), search(undefined, {job: 2, name: 'p', paused: true, best: null})],
  });
  const list = await shown('/searches', Searches);
  const rows = list.texts('.rows [role=row]');
  assert.match(rows[0] ?? '', /Running tune auto, minimize loss 0.1 trial 1 2 of 4 , 1 running/);
  assert.match(rows[1] ?? '', /Pausing p .*no value yet/);
});

test('a search: its trials in order, filtered by words, the best to be kept', async () => {
  server.on('GET /api/v1/searches/tune', {
    search: search(undefined, {
      trials: [trial(1), trial(2), trial(3, undefined, {state: 'failed', value: null})],
    }),
  });
  const one = await shown('/searches/tune?q=state:failed', SearchPage, 'tune');
  assert.match(one.text(), /trial 1/);
  go('/searches/tune?q=lr>0.015 lr<0.025');
  await settled();
  const rows = one.all('[role=table] .rows [role=row]');
  assert.equal(rows.length, 1, one.text());
});

test('Services: another’s is not stopped by who may not; one’s own after a question', async () => {
  server.on('GET /api/v1/services', {
    services: [service()],
    others: [service(undefined, {owner: 'bob', name: 'theirs'})],
  });
  const list = await shown('/services', Services);
  assert.equal(list.all('[aria-labelledby=h-o] button').length, 0);
  server.on('PUT /dlim/v1/model/digits/operation/stop', {});
  await list.press('Stop');
  assert.deepEqual(asked(), []);
  await list.press('Stop it');
  assert.deepEqual(asked(), ['PUT /dlim/v1/model/digits/operation/stop']);
  page?.end();
  session.value = {user: 'root', cluster: 'c', version: '1', admin: true, now: 900};
  assert.ok((await shown('/services', Services)).all('[aria-labelledby=h-o] button').length > 0);
});

test('a service: callers are kept in its profile', async () => {
  const one = await shown('/services/digits?tab=traffic', ServicePage, 'digits');
  server
    .on('GET /dlim/v1/model/digits/appprofile', {policy: {}})
    .on('PUT /dlim/v1/model/digits/appprofile', {});
  await one.type('callers', 'bob, @team');
  server.asked.length = 0;
  const form = one.field('callers').closest('form');
  if (form) fire(form, 'submit');
  await settled();
  const put = server.asked.find(({what}) => what.startsWith('PUT'));
  assert.deepEqual(put?.body, {policy: {}, callers: ['bob', '@team']});
});

test('Models: one goes to a space; where one of its name is, that is asked first', async () => {
  const list = await shown('/models', Models);
  const promote = 'POST /api/v1/projects/p/models/m/promote';
  server.on(promote, new No(409, 'there')).on('PUT /api/v1/projects/p/models/m/promote', {});
  list.one('select').value = 's';
  await list.press('Promote');
  assert.match(list.text('#confirm'), /Promote as the next version\?/);
  list.one('[data-do=confirm]').click();
  await settled();
  assert.deepEqual(asked(), [promote, 'PUT /api/v1/projects/p/models/m/promote']);
  assert.equal(fakeHistory.gone.at(-1), '/spaces/s');
});

test('a project: deleting asks, and says what stays; so does a version', async () => {
  const one = await shown('/projects/p', ProjectPage, 'p');
  server.on('DELETE /api/v1/projects/p/experiments/exp', {});
  await one.press('Delete');
  assert.match(one.text('#confirm'), /The experiment goes. Its runs, and what they left, stay/);
  await one.press('Delete it');
  assert.ok(asked().includes('DELETE /api/v1/projects/p/experiments/exp'));
  await one.press('Versions of cnn');
  assert.match(one.text('#versions'), /v2 earlier .* code.zip, abcdef01, train.py/);
  server.on('DELETE /api/v1/projects/p/definitions/cnn/versions/v2', {});
  await one.press('Delete version v2');
  assert.deepEqual(asked(), []);
  await one.press('Keep it');
  assert.equal(one.all('#versions [role=alert]').length, 0);
  await one.press('Delete version v2');
  one.one('[data-do=delete-version]').click();
  await settled();
  assert.deepEqual(asked(), ['DELETE /api/v1/projects/p/definitions/cnn/versions/v2']);
});

test('a space is made, and what its members find in it is there', async () => {
  const list = await shown('/spaces', Spaces);
  server.on('POST /api/v1/spaces', new No(409, 'there is a space of that name'));
  await list.type('Name', 'digits');
  await list.submit('form');
  assert.equal(list.text('form [role=alert]'), 'there is a space of that name');
  assert.equal(list.field('Name').value, 'digits');
  list.end();
  const one = await shown('/spaces/s', SpacePage, 's');
  assert.match(one.text(), /m bob c-12 .* started/);
});

test('Connections: a test says what came of it; deleting asks', async () => {
  const list = await shown('/connections', Connections);
  server.on('POST /api/v1/connections/c/test', new No(502, 'connection refused'));
  await list.press('Test');
  assert.match(list.text('.rows'), /connection refused/);
  await list.press('Delete c');
  assert.match(list.text('#confirm'), /Its keys go/);
});

test('Compare: what differs is a column, what does not is told; one is left out', async () => {
  server.on('GET /api/v1/runs/compare', {runs: [compared('1'), compared('2'), compared('3')]});
  server.on('GET /api/v1/runs/series', {
    width: 1,
    runs: [{series: []}, {series: []}, {series: []}],
  });
  const compare = await shown('/compare?runs=1,2,3', Compare);
  await settled();
  const heads = compare.texts('[role=columnheader]');
  assert.ok(heads.includes('lr') && !heads.includes('seed'), heads.join());
  assert.match(compare.text(), /Equal: .*seed/);
  await compare.press('Leave out 2');
  assert.equal(fakeHistory.gone.at(-1), '/compare?runs=1%2C3');
});

test('Compare: a run without a setting stays, and sorting loses no column', async () => {
  server.on('GET /api/v1/runs/compare', {
    runs: [{...compared('1'), settings: {}}, compared('2')],
  });
  const compare = await shown('/compare?runs=1,2&sort=-lr', Compare);
  await settled();
  assert.equal(compare.all('[role=table] .rows [role=row]').length, 2);
  assert.ok(compare.texts('[role=columnheader]').some((text) => text.startsWith('lr')));
});

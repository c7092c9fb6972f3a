import '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import {FakePage} from '../../parts/fake_page.ts';
import {session} from '../../state/session.ts';
import {answerAll} from '../shared/fake_answers.ts';
import {FakeHub} from '../shared/fake_hub.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import AccountPage from './page.tsx';

const PATH = 'GET /api/v1/results';
const PANEL = '[aria-labelledby=h-f]';
const held = {bytes: 3 * 2 ** 30, files: 7, counted: 100, counting: false, quota: 2 ** 31};
new FakeHub();
let page: FakePage | null = null;
let server = new FakeServer();
beforeEach(() => {
  session.value = {user: 'ann', cluster: 'c', version: '1', admin: false, now: 900};
  server = answerAll(new FakeServer());
});
afterEach(() => {
  page?.end();
  page = null;
});
async function shown() {
  page = await FakePage.of(AccountPage, {});
  return page;
}

test('results over their quota: that is said, with how much there is and may be', async () => {
  server.on(PATH, {...held, room: 'none', words: 'your results take up 3 GiB of 2 GiB'});
  const account = await shown();
  assert.equal(account.text(`${PANEL} [role=alert]`), 'your results take up 3 GiB of 2 GiB');
  assert.match(account.text(PANEL), /They take up 3\S* GiB of 2\S* GiB Files 7/);
});

test('results that were never counted, and of any amount', async () => {
  server.on(PATH, {...held, counted: 0, counting: true, quota: 0, room: 'enough', words: ''});
  const account = await shown();
  assert.match(account.text(PANEL), /not counted yet of any amount Files Counted now/);
  assert.equal(account.all(`${PANEL} [role=alert]`).length, 0);
});

test('results that cannot be told are told so; the rest of the page is there', async () => {
  server.on(PATH, new No(503, 'they are being looked for'));
  const account = await shown();
  assert.equal(account.text(`${PANEL} [role=alert]`), 'they are being looked for');
  assert.match(account.text(), /laptop/);
});

import {fakeDocument, fakeHistory, fire} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {h} from 'preact';
import {afterEach, beforeEach, test} from 'node:test';
import {counts, live} from '../live/port.ts';
import {FakeHub} from '../pages/shared/fake_hub.ts';
import {FakePage, settled} from '../parts/fake_page.ts';
import {FakeServer, No} from '../pages/shared/fake_server.ts';
import {go} from '../state/address.ts';
import {session, standing, trouble} from '../state/session.ts';
import {Frame} from './frame.tsx';
import {Guard} from './guard.tsx';
import {LogInAgain, LogInPage} from './login.tsx';
import {find, ROUTES} from './routes.ts';

const hub = new FakeHub();
let page: FakePage | null = null;
let server = new FakeServer();
const ANN = {user: 'ann', cluster: 'prod', version: '1', admin: false, now: 1};
beforeEach(() => {
  server = new FakeServer();
  session.value = null;
  standing.value = 'asking';
  trouble.value = '';
  go('/help');
});
afterEach(() => {
  page?.end();
  page = null;
});
async function shown() {
  page = await FakePage.of(Frame, {});
  await settled(40);
  return page;
}

test('each address of a page is found, with what its parts are called', () => {
  const found = (path: string) => find(path)?.args;
  for (const path of ['/', '/apps', '/runs', '/compare', '/searches', '/new/job', '/config'])
    assert.ok(find(path), path);
  assert.deepEqual(found('/apps/12%5B3%5D'), ['12[3]']);
  assert.deepEqual(found('/cluster/n%2F1'), ['n/1']);
  assert.deepEqual(found('/notebooks'), ['']);
  assert.deepEqual(found('/apps/%zz'), ['%zz'], 'what cannot be decoded is as it came');
  for (const path of ['/nowhere', '/apps/1/2', '/api/v1/jobs', '/Apps', '', '/s/a.js'])
    assert.equal(find(path), null, path);
});

test('no two patterns have one address, and each page’s code comes', async () => {
  const addresses = ['/', '/apps', '/apps/1', '/runs', '/cluster', '/cluster/n', '/searches/s'];
  for (const address of addresses)
    assert.equal(ROUTES.filter(({pattern}) => pattern.test(address)).length, 1, address);
  for (const route of ROUTES) assert.equal(typeof (await route.load()).default, 'function');
});

test('who is not logged on logs on, and nothing else is there', async () => {
  standing.value = 'none';
  const frame = await shown();
  assert.equal(frame.text('h1'), 'Log in');
  assert.equal(frame.all('nav').length, 0);
  assert.equal(fakeDocument.title, 'Log in · WM');
});

test('while the server does not say who is there that is said, and asked by hand', async () => {
  trouble.value = 'the server does not answer';
  const frame = await shown();
  assert.match(frame.text('[role=alert]'), /the server does not answer/);
  server.on('GET /api/v1/session', ANN);
  await frame.press('Try again');
  await settled(40);
  assert.equal(frame.text('h1'), 'Help and downloads');
});

test('the rail leads to all pages that one may see', async () => {
  session.value = ANN;
  standing.value = 'on';
  const frame = await shown();
  const links = () => frame.all('nav a').map((link) => link.getAttribute('href') ?? '');
  assert.ok(links().includes('/queues') && !links().includes('/audit'));
  for (const href of links()) assert.ok(find(href), href);
  session.value = {...ANN, admin: true};
  await settled();
  assert.ok(links().includes('/audit') && links().includes('/config'));
});

test('where one is is marked, also below; how many of mine live stands beside', async () => {
  session.value = ANN;
  go('/queues');
  const frame = await shown();
  const current = () => frame.all('[aria-current=page]').map((link) => link.getAttribute('href'));
  assert.deepEqual(current(), ['/queues']);
  hub.counts({mineAlive: 3});
  go('/searches/tune');
  await settled(40);
  assert.deepEqual(current(), ['/searches']);
  const apps = frame.all('nav a').find((link) => link.getAttribute('href') === '/apps');
  assert.equal(apps?.textContent, 'Applications3');
  counts.value = null;
});

test('an address that no page has is not found; the rail stays', async () => {
  session.value = ANN;
  go('/nowhere');
  const frame = await shown();
  assert.equal(frame.text('h1'), 'Not found');
  assert.ok(frame.all('nav').length === 1);
});

test('another page takes the focus at its heading, and the menu closes', async () => {
  session.value = ANN;
  const frame = await shown();
  const menu = frame.called('Menu');
  menu.click();
  await settled();
  assert.equal(menu.getAttribute('aria-expanded'), 'true');
  server.on('GET /api/v1/projects', {projects: []});
  go('/projects');
  await settled(60);
  assert.equal(fakeDocument.activeElement, frame.one('h1'));
  assert.equal(menu.getAttribute('aria-expanded'), 'false');
});

test('what is not live is dimmed, and so is nothing that is', async () => {
  session.value = ANN;
  live.value = false;
  const frame = await shown();
  assert.ok(frame.one('.shell').classes.includes('stale'));
  hub.live(true);
  await settled();
  assert.ok(!frame.one('.shell').classes.includes('stale'));
});

test('a session that ends is a dialog over the page; what is on it stays', async () => {
  session.value = ANN;
  standing.value = 'on';
  const frame = await shown();
  standing.value = 'lost';
  await settled();
  assert.equal(frame.text('.log-in h2'), 'Your session is over');
  assert.equal(frame.text('h1'), 'Help and downloads');
  assert.equal(frame.field('User').value, 'ann');
  server.on('POST /auth/v1/logon', {}).on('GET /api/v1/session', ANN);
  await frame.type('password', 'secret');
  fire(frame.one('.log-in form'), 'submit');
  await settled();
  assert.equal(frame.all('.log-in').length, 0);
  const sent = server.asked.find(({what}) => what.startsWith('POST'));
  assert.deepEqual(sent?.body, {username: 'ann', password: 'secret'});
});

test('log off is here at once', async () => {
  session.value = ANN;
  standing.value = 'on';
  const frame = await shown();
  server.on('POST /auth/v1/logoff', {});
  await frame.press('Log off');
  assert.equal(frame.text('h1'), 'Log in');
});

test('a wrong password keeps the name, and says no more than that it is wrong', async () => {
  server.on('POST /auth/v1/logon', new No(401, 'user or password is wrong'));
  page = await FakePage.of(LogInPage, {});
  await page.type('User', 'bob');
  await page.type('password', 'x');
  await page.submit();
  assert.equal(page.text('[role=alert]'), 'user or password is wrong');
  assert.equal(page.field('User').value, 'bob');
});

test('without a name or a password nobody is asked', async () => {
  page = await FakePage.of(LogInPage, {});
  await page.submit();
  assert.match(page.text('[role=alert]'), /Which user\?.*A password or an API key/);
  assert.deepEqual(server.words(), []);
});

test('logging on again over a page is a dialog that is open', async () => {
  session.value = ANN;
  page = await FakePage.of(LogInAgain, {});
  assert.equal(page.one('dialog').open, true);
  assert.match(page.text(), /go on where you were/);
});

test('a page that cannot be drawn says so in its place, and may be tried again', async () => {
  let broken = true;
  const Broken = () => {
    if (broken) throw new TypeError('rows is undefined <b>');
    return h('p', {}, 'There it is.');
  };
  const told: unknown[] = [];
  const real = console.error;
  console.error = (problem: unknown) => told.push(problem);
  page = await FakePage.of(() => h(Guard, {children: h(Broken, {})}), {});
  console.error = real;
  assert.match(page.text('[role=alert]'), /not understood: rows is undefined <b>/);
  assert.equal(told.length, 1);
  broken = false;
  await page.press('Try again');
  assert.equal(page.text(), 'There it is.');
});

test('the way of the browser is the way of the pages', async () => {
  session.value = ANN;
  server.on('GET /api/v1/projects', {projects: []});
  const frame = await shown();
  const link = frame.all('nav a').find((one) => one.getAttribute('href') === '/projects');
  if (link) fire(link, 'click', {button: 0});
  await settled(60);
  assert.equal(fakeHistory.gone.at(-1), '/projects');
  assert.equal(frame.text('h1'), 'Projects');
});

// Role: the frame around every page: who is logged on, which page an address means, the rail, the
// live mark. A page is {title, load(params), view(state), topics}; the address is the state.

import {store} from './api.js';
import {h, logo, outside, patch} from './dom.js';
import {isAlive} from './format.js';
import {applications} from './applications.js';
import {audit} from './audit.js';
import {cluster, plans, queues} from './cluster.js';
import {connections} from './connections.js';
import {frameworks} from './frameworks.js';
import {help} from './help.js';
import {login} from './login.js';
import {newExperiment} from './experiment.js';
import {models} from './models.js';
import {notebooks} from './notebooks.js';
import {project, projects} from './projects.js';
import {run} from './run.js';
import {search} from './search.js';
import {searches} from './searches.js';
import {service, services} from './services.js';
import {space, spaces} from './spaces.js';

const ROUTES = [
  [/^\/(apps)?$/, applications], [/^\/apps\/([^/]+)$/, run], [/^\/new\/(experiment|job)$/, newExperiment],
  [/^\/notebooks$/, notebooks], [/^\/notebooks\/([^/]+)$/, notebooks], [/^\/searches$/, searches], [/^\/searches\/([^/]+)$/, search],
  [/^\/services$/, services], [/^\/services\/([^/]+)$/, service], [/^\/models$/, models], [/^\/spaces$/, spaces], [/^\/spaces\/([^/]+)$/, space],
  [/^\/projects$/, projects], [/^\/projects\/([^/]+)$/, project], [/^\/frameworks$/, frameworks], [/^\/connections$/, connections], [/^\/help$/, help], [/^\/plans$/, plans], [/^\/queues$/, queues], [/^\/cluster$/, cluster], [/^\/audit$/, audit],
];
const RAIL = [
  ['Work', [['/apps', 'Applications'], ['/new/experiment', 'New experiment'], ['/searches', 'Searches'], ['/services', 'Services'], ['/notebooks', 'Notebooks']]],
  ['Assets', [['/projects', 'Projects'], ['/models', 'Models'], ['/spaces', 'Spaces'], ['/frameworks', 'Frameworks'], ['/connections', 'Connections']]],
  ['Cluster', [['/cluster', 'Hosts'], ['/plans', 'Plans'], ['/queues', 'Queues'], ['/audit', 'Record of acts', 'admin']]],
];

const root = document.getElementById('app');
let page = null, menu = false, failure = null, loading = false;

function links() {
  const mine = [...store.jobs.values()].filter((j) => j.user === store.session.user && isAlive(j.wm_state)).length;
  const here = location.pathname === '/' ? '/apps' : location.pathname;
  return RAIL.map(([name, items]) => h('div', null, h('h2', null, name), h('ul', null, items.filter(([, , who]) => !who || store.session[who]).map(([href, text]) =>
    h('li', null, h('a', {href, 'aria-current': here === href || here.startsWith(`${href}/`) ? 'page' : null}, text,
      href === '/apps' && mine > 0 && h('span', {class: 'm s'}, mine)))))));
}

function rail() {
  return h('nav', {class: 'rail', 'aria-label': 'Main'},
    h('a', {class: 'brand', href: '/apps'}, logo(), 'WM', h('span', {class: 'm s'}, outside(store.session.cluster, 30))),
    links(),
    h('div', {class: 'foot'}, h('a', {href: '/help'}, 'Help and downloads'),
      h('span', {class: 's'}, outside(store.session.user, 30)), h('span', null, h('button', {class: 'link', onClick: logOff}, 'Log off'))));
}

/** The live mark, in words and colour. */
export const live = () => h('span', {class: store.live ? 'live' : 'live off', role: 'status'}, h('i'), store.live ? 'Live' : 'Reconnecting');

function shell(content) {
  return [
    h('a', {class: 'skip', href: '#main'}, 'To the content'),
    h('header', {class: 'topbar'}, h('button', {class: 'btn', 'aria-expanded': String(menu), onClick: () => { menu = !menu; draw(); }}, 'Menu'),
      h('b', null, 'WM'), live()),
    h('div', {class: `shell${menu ? ' menu-open' : ''}${store.live ? '' : ' stale'}`}, rail(), h('main', {id: 'main'}, content)),
  ];
}

function notFound() {
  return [h('h1', null, 'Not found'), h('p', {class: 'sub'}, 'There is nothing at this address, or nothing that you may see. ', h('a', {href: '/apps'}, 'Applications'))];
}

/** Draws what there is now; at most once a frame. */
let asked = false;
export function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    patch(root, store.session ? shell(failure ? failureView() : loading ? loadingView() : page ? page.view() : notFound()) : login.view());
  });
}

// What is not known yet is neither empty nor zero; what comes at once is not announced.
const loadingView = () => [h('h1', null, outside(page.title())), h('div', {class: 'ghost', 'aria-hidden': 'true'})];
const failureView = () => failure.status === 404 ? notFound()
  : [h('h1', null, 'Something went wrong'), h('p', {class: 'sub err', role: 'alert'}, failure.message, ' ', h('button', {class: 'btn', onClick: show}, 'Try again'))];

async function show() {
  if (!store.session) return draw();
  page?.leave?.();
  page = failure = null;
  menu = false;
  for (const [pattern, make] of ROUTES) {
    const found = location.pathname.match(pattern);
    if (found) page = make(...found.slice(1));
  }
  document.title = page ? `${page.title()} · WM` : 'WM';
  const current = page;
  loading = Boolean(page?.load);
  draw();
  try {
    await page?.load?.();
  } catch (problem) {
    if (page === current) failure = problem;
  }
  if (page !== current) return;  // somebody went on meanwhile
  loading = false;
  if (page) document.title = `${page.title()} · WM`;
  draw();
}

/** To another page, without asking the server for the frame again. */
export function go(path) {
  history.pushState(null, '', path);
  window.scrollTo(0, 0);
  show().then(() => {
    const heading = document.querySelector('h1');
    if (heading) {
      heading.tabIndex = -1;
      heading.focus({preventScroll: true});
    }
  });
}

async function logOff() {
  await fetch('/auth/v1/logoff', {method: 'POST'});
  store.lose();
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href^="/"]');
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  if (!link || !plain || link.hasAttribute('download') || /^\/(ui|api|platform)\//.test(link.getAttribute('href'))) return;
  event.preventDefault();
  go(link.getAttribute('href'));
});
addEventListener('popstate', show);
store.hear((changed) => {
  if (changed === 'session') return show();
  page?.hear?.(changed);
  draw();
});

/** Called by the log-in page once somebody is logged on. */
export async function enter() {
  await store.begin();
  await show();
}

enter().catch((problem) => {
  patch(root, [h('main', {class: 'login'}, h('h1', null, 'WM'), h('p', {class: 'err', role: 'alert'}, problem.message))]);
});

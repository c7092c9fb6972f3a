// Role: what is around every page: the rail, who is logged on, and the page that the address means.

import {useSignal} from '@preact/signals';
import type {ComponentType} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {Logo, Outside} from '../parts/basic.tsx';
import {LiveMark, NotFound, Page} from '../parts/page.tsx';
import {counts, live, outdated} from '../live/port.ts';
import {path} from '../state/address.ts';
import {logOff, session, standing, trouble, enter} from '../state/session.ts';
import {Guard} from './guard.tsx';
import {LogInAgain, LogInPage} from './login.tsx';
import {find, type Found, type PageProps} from './routes.ts';

type Item = readonly [href: string, text: string, admin?: boolean];
const RAIL: readonly (readonly [string, readonly Item[]])[] = [
  [
    'Work',
    [
      ['/', 'Home'],
      ['/apps', 'Applications'],
      ['/runs', 'Runs'],
      ['/new/experiment', 'New experiment'],
      ['/searches', 'Searches'],
      ['/services', 'Services'],
      ['/notebooks', 'Notebooks'],
    ],
  ],
  [
    'Assets',
    [
      ['/projects', 'Projects'],
      ['/models', 'Models'],
      ['/spaces', 'Spaces'],
      ['/frameworks', 'Frameworks'],
      ['/connections', 'Connections'],
    ],
  ],
  [
    'Cluster',
    [
      ['/cluster', 'Map'],
      ['/plans', 'Plans'],
      ['/queues', 'Queues'],
      ['/usage', 'Usage'],
      ['/audit', 'Record of acts', true],
      ['/config', 'Configuration', true],
    ],
  ],
];

function Link({item: [href, text]}: {item: Item}) {
  const here = path.value;
  const current = here === href || (href !== '/' && here.startsWith(`${href}/`));
  const mine = href === '/apps' ? (counts.value?.mineAlive ?? 0) : 0;
  return (
    <li>
      <a href={href} aria-current={current ? 'page' : undefined}>
        {text}
        {mine > 0 && <span class="m s">{mine}</span>}
      </a>
    </li>
  );
}

function Rail() {
  const who = session.value;
  return (
    <nav class="rail" aria-label="Main">
      <a class="brand" href="/">
        <Logo />
        WM
        <span class="m s">
          <Outside text={who?.cluster} most={30} />
        </span>
      </a>
      {RAIL.map(([name, items]) => (
        <div key={name}>
          <h2>{name}</h2>
          <ul>
            {items
              .filter(([, , admin]) => !admin || who?.admin)
              .map((item) => (
                <Link key={item[0]} item={item} />
              ))}
          </ul>
        </div>
      ))}
      <div class="foot">
        <a href="/help">Help and downloads</a>
        <a href="/account">
          Account of <Outside text={who?.user} most={30} />
        </a>
        <span>
          <button type="button" class="link" onClick={() => void logOff()}>
            Log off
          </button>
        </span>
      </div>
    </nav>
  );
}

/** A page's code did not come: the pages were replaced meanwhile, or the line is broken. */
const Gone = () => (
  <p class="note err" role="alert">
    This page cannot be loaded: the pages were renewed, or the server does not answer.{' '}
    <button type="button" class="btn" onClick={() => location.reload()}>
      Load it again
    </button>
  </p>
);

interface Shown {
  readonly page: ComponentType<PageProps>;
  readonly found: Found;
  readonly path: string;
}

const LOADED = 'wm-loaded-anew';
const AGAIN_MS = 30_000;

/**
 * Of pages that were renewed the code of an older one is gone: the address is loaded anew, once.
 * @returns false: it was, a moment ago
 */
function loadedAnew(): boolean {
  const last = Number(sessionStorage.getItem(LOADED) ?? 0);
  if (Date.now() - last < AGAIN_MS) return false;
  sessionStorage.setItem(LOADED, String(Date.now()));
  location.reload();
  return true;
}

/** Until the next page's code is there the one before stays. */
function usePage() {
  const [shown, setShown] = useState<Shown | null>(null);
  const [broken, setBroken] = useState(false);
  const here = path.value;
  useEffect(() => {
    const found = find(here);
    let current = true;
    setBroken(false);
    if (!found) return setShown(null);
    found.route.load().then(
      (module) => current && setShown({page: module.default, found, path: here}),
      () => current && !loadedAnew() && setBroken(true),
    );
    return () => {
      current = false;
    };
  }, [here]);
  return {shown, broken, known: find(here) !== null};
}

function Content() {
  const {shown, broken, known} = usePage();
  if (broken) {
    return (
      <Page title="Not loaded" still>
        <Gone />
      </Page>
    );
  }
  if (!known) return <NotFound />;
  if (!shown) return null;
  return (
    <Guard key={shown.path}>
      <shown.page args={shown.found.args} />
    </Guard>
  );
}

function Shell() {
  const menu = useSignal(false);
  const here = path.value;
  useEffect(() => {
    menu.value = false;
  }, [here]);
  const classes = ['shell', menu.value ? 'menu-open' : '', live.value ? '' : 'stale'];
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="topbar">
        <button
          type="button"
          class="btn"
          aria-expanded={menu.value ? 'true' : 'false'}
          onClick={() => {
            menu.value = !menu.value;
          }}
        >
          Menu
        </button>
        <b>WM</b>
        <LiveMark />
      </header>
      <div class={classes.filter(Boolean).join(' ')}>
        <Rail />
        <main id="main">
          {outdated.value && <Gone />}
          <Content key={session.value?.user} />
        </main>
      </div>
      {standing.value === 'lost' && <LogInAgain />}
    </>
  );
}

export function Frame() {
  if (standing.value === 'none') return <LogInPage />;
  if (session.value) return <Shell />;
  if (!trouble.value) return null;
  return (
    <main class="login">
      <h1>WM</h1>
      <p class="note err" role="alert">
        {trouble.value}{' '}
        <button type="button" class="btn" onClick={() => void enter()}>
          Try again
        </button>
      </p>
    </main>
  );
}

// Role: a tab's end of the line: what the hub tells, as signals. Where there is no SharedWorker the
// tab has a worker of its own, with a hub. A tab says bye when it is put away, and hello again when
// it comes back from the browser's cache.

import {batch, effect, signal} from '@preact/signals';
import type {JobRow} from '../api/shapes.ts';
import {
  type Counts,
  type FromHub,
  type ToHub,
  VERSION,
  type ViewAsked,
  type Window,
} from './messages.ts';

declare const WORKER_ADDRESS: string;

/** Does what is shown follow what happens? */
export const live = signal(false);
/** When it did last, in the server's seconds; 0: not yet. */
export const heardAt = signal(0);
/** Why no list of jobs comes; empty: it came, or is on its way. */
export const trouble = signal('');
/** The server's clock ahead of this one, seconds. */
export const skew = signal(0);
/** null: no list has come yet. */
export const counts = signal<Counts | null>(null);
/**
 * Jobs that began, ended or changed their size; "" among them: any may have. A new list each time.
 */
export const changed = signal<readonly string[]>([]);
/** Which of several builds this tab is: an older one than the hub. */
export const outdated = signal(false);

const windows = new Map<string, (window: Window) => void>();
const followers = new Map<string, (rows: readonly JobRow[]) => void>();
const asked = new Map<string, ToHub>();
let send: ((message: ToHub) => void) | null = null;
let user = '';
let onLost: () => void = () => {};

function take(message: FromHub) {
  batch(() => {
    if (message.say === 'live') {
      live.value = message.live;
      heardAt.value = message.heard;
      trouble.value = message.trouble;
    } else if (message.say === 'clock') skew.value = message.skew;
    else if (message.say === 'counts') counts.value = message.counts;
    else if (message.say === 'window') windows.get(message.key)?.(message.window);
    else if (message.say === 'jobs') followers.get(message.key)?.(message.rows);
    else if (message.say === 'changed') changed.value = message.ids;
    else if (message.say === 'lost') onLost();
    else outdated.value = true;
  });
}

function workerLine(): (message: ToHub) => void {
  const policy = (globalThis as {trustedTypes?: TrustedTypes}).trustedTypes?.createPolicy(
    'wm-worker',
    {createScriptURL: (address: string) => (address === WORKER_ADDRESS ? address : '')},
  );
  const address = policy?.createScriptURL(WORKER_ADDRESS) ?? WORKER_ADDRESS;
  const port =
    'SharedWorker' in globalThis
      ? new SharedWorker(address as string, {name: `wm-${WORKER_ADDRESS}`}).port
      : new Worker(address as string);
  port.onmessage = (event: MessageEvent<FromHub>) => take(event.data);
  return (message) => port.postMessage(message);
}
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: {createScriptURL: (address: string) => string},
  ): {createScriptURL: (address: string) => string};
}

function hello() {
  send?.({say: 'hello', user, version: VERSION});
  send?.({say: 'hidden', hidden: document.hidden});
  for (const message of asked.values()) send?.(message);
}

/** Begins to listen for who is logged on. @param lost called when nobody is any more */
export function listen(who: string, lost: () => void) {
  user = who;
  onLost = lost;
  if (!send) {
    send = workerLine();
    document.addEventListener('visibilitychange', () =>
      send?.({say: 'hidden', hidden: document.hidden}),
    );
    addEventListener('pagehide', () => send?.({say: 'bye'}));
    addEventListener('pageshow', (event) => event.persisted && hello());
  }
  hello();
}

/** No more: somebody logged off here. */
export function deafen() {
  send?.({say: 'bye'});
  live.value = false;
  counts.value = null;
}

/**
 * Asks for the window of a view; asked again under the same key it moves. Returns how to end it.
 */
export function look(key: string, view: ViewAsked, heard: (window: Window) => void): () => void {
  windows.set(key, heard);
  const message: ToHub = {say: 'view', key, view};
  asked.set(key, message);
  send?.(message);
  return () => end(key);
}

/** Asks for some jobs by id, told again when anything changes. Returns how to end it. */
export function follow(
  key: string,
  ids: readonly string[],
  heard: (rows: readonly JobRow[]) => void,
) {
  followers.set(key, heard);
  const message: ToHub = {say: 'jobs', key, ids};
  asked.set(key, message);
  send?.(message);
  return () => end(key);
}

function end(key: string) {
  windows.delete(key);
  followers.delete(key);
  asked.delete(key);
  send?.({say: 'close', key});
}

/** Calls `what` when jobs changed after this moment. Returns how to end it. */
export function onChange(what: (ids: readonly string[]) => void): () => void {
  const first = changed.peek();
  return effect(() => {
    const ids = changed.value;
    if (ids !== first) what(ids);
  });
}

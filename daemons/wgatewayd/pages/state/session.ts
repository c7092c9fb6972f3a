// Role: who is logged on here, in this tab. Lost: the server says nobody any more, and what is on
// the page stays.

import {computed, signal} from '@preact/signals';
import {ask, get, onLost} from '../api/client.ts';
import {Refused} from '../api/problem.ts';
import type {Session} from '../api/shapes.ts';
import {deafen, listen, skew} from '../live/port.ts';

export type Standing = 'asking' | 'none' | 'on' | 'lost';

export const session = signal<Session | null>(null);
export const standing = signal<Standing>('asking');
/** Why it cannot be said who is logged on. */
export const trouble = signal('');
export const me = computed(() => session.value?.user ?? '');

const LOG_OFF = 'wm-log-off';
/** Between tabs: without a document there are none. */
const tabs = globalThis.document && 'BroadcastChannel' in globalThis;
const channel = tabs ? new BroadcastChannel(LOG_OFF) : null;

const AGAIN_MS = 3000;
let waits: ReturnType<typeof setTimeout> | undefined;
/** A server that did not answer is asked again, until it has said who is logged on. */
function again() {
  clearTimeout(waits);
  waits = setTimeout(() => session.peek() === null && void enter(), AGAIN_MS);
}

/** Asks the server who is logged on, and begins to listen. */
export async function enter() {
  try {
    const found = await get<Session>('/api/v1/session');
    skew.value = found.now - Date.now() / 1000;
    session.value = found;
    standing.value = 'on';
    trouble.value = '';
    listen(found.user, lose);
  } catch (problem) {
    if (problem instanceof Refused && problem.status === 401) {
      if (standing.value === 'asking') standing.value = 'none';
    } else {
      trouble.value = problem instanceof Error ? problem.message : String(problem);
      again();
    }
  }
}

/** Throws Refused where the server does not know these. */
export async function logOn(username: string, password: string) {
  const body = JSON.stringify({username, password});
  await ask('POST', '/auth/v1/logon', {body, headers: {'Content-Type': 'application/json'}});
  const before = session.value?.user;
  if (before !== undefined && before !== username) session.value = null;
  await enter();
}

function lose() {
  if (standing.value === 'on') standing.value = 'lost';
}

function leave() {
  deafen();
  session.value = null;
  standing.value = 'none';
}

/** Here and in the browser's other tabs. */
export async function logOff() {
  await ask('POST', '/auth/v1/logoff').catch(() => {});
  channel?.postMessage('off');
  leave();
}

onLost(lose);
if (channel) channel.onmessage = () => leave();

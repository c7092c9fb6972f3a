// Role: the server's clock, and a tick a second for what is told by it.

import {signal} from '@preact/signals';
import {skew} from '../live/port.ts';

/** The server's clock, seconds; asked for, not followed. */
export const now = () => Date.now() / 1000 + skew.peek();

/** Follows the server's clock, once a second. */
export const second = signal(Math.floor(Date.now() / 1000));
if (globalThis.document) {
  setInterval(() => {
    if (!document.hidden) second.value = Math.floor(now());
  }, 1000);
}

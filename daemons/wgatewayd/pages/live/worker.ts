// Role: the SharedWorker: one hub for all tabs of a browser.

import {Hub} from './hub.ts';
import type {FromHub, ToHub} from './messages.ts';

interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const hub = new Hub();
(globalThis as unknown as SharedScope).onconnect = (event) => {
  const port = event.ports[0];
  if (!port) return;
  const line = {send: (message: FromHub) => port.postMessage(message)};
  port.onmessage = (said: MessageEvent<ToHub>) => hub.hear(line, said.data);
};

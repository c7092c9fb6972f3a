// Role: the worker that holds the hub: one for all tabs of a browser where it can be shared, else
// one for a tab.

import {Hub} from './hub.ts';
import type {FromHub, ToHub} from './messages.ts';

interface Port {
  postMessage(message: FromHub): void;
  onmessage: ((said: MessageEvent<ToHub>) => void) | null;
}
interface Scope extends Port {
  onconnect?: ((event: MessageEvent) => void) | null;
}

const hub = new Hub();
function serve(port: Port) {
  const line = {send: (message: FromHub) => port.postMessage(message)};
  port.onmessage = (said) => hub.hear(line, said.data);
}

const scope = globalThis as unknown as Scope;
if ('onconnect' in scope) {
  scope.onconnect = (event) => {
    const [port] = event.ports;
    if (port) serve(port);
  };
} else serve(scope);

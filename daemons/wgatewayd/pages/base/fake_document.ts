// Role: for tests of what is drawn: as much of a document, and of what is around it, as the pages
// touch, without a browser. Importing it puts it in place, so it is imported before all that looks
// for a document.

import {FakeElement, FakeInput, FakeSelect, FakeText, Target} from './fake_element.ts';

export {FakeElement, type FakeNode, fire} from './fake_element.ts';

export class FakeDocument extends Target {
  title = '';
  hidden = false;
  readonly body = this.createElement('body');
  activeElement: FakeElement = this.body;

  createElement(name: string): FakeElement {
    const kinds = {input: FakeInput, select: FakeSelect};
    const made = new (kinds[name as keyof typeof kinds] ?? FakeElement)(name);
    made.ownerDocument = this;
    return made;
  }
  createElementNS(_: string, name: string) {
    return this.createElement(name);
  }
  createTextNode(text: string) {
    return new FakeText(text);
  }
  getElementById(id: string) {
    return this.body.querySelector(`#${id}`);
  }
  querySelector(selector: string) {
    return this.body.querySelector(selector);
  }
  /** A part of a text; what it was last is kept as `marked`. */
  marked = '';
  createRange() {
    let [text, from] = ['', 0];
    return {
      setStart: (node: FakeText, at: number) => {
        [text, from] = [node.textContent, at];
      },
      setEnd: (_: FakeText, to: number) => {
        this.marked = text.slice(from, to);
      },
      getBoundingClientRect: () => ({top: 0}),
    };
  }
}

/** What is kept by a name. */
export class FakeStore {
  private readonly kept = new Map<string, string>();
  getItem(name: string) {
    return this.kept.get(name) ?? null;
  }
  setItem(name: string, text: string) {
    this.kept.set(name, text);
  }
  removeItem(name: string) {
    this.kept.delete(name);
  }
  clear() {
    this.kept.clear();
  }
}

/** The address, and what pages do to it. */
class FakeHistory {
  /** Every address that was gone to, the present one last. */
  readonly gone: string[] = ['/'];
  pushState(_: unknown, __: string, to: string) {
    this.gone.push(to);
  }
  replaceState(_: unknown, __: string, to: string) {
    this.gone[this.gone.length - 1] = to;
  }
}
export const fakeHistory = new FakeHistory();
const here = () => new URL(fakeHistory.gone[fakeHistory.gone.length - 1] ?? '/', 'https://wm.test');

class Watcher {
  observe() {}
  unobserve() {}
  disconnect() {}
}

export const fakeDocument = new FakeDocument();
export const fakeWindow = new Target();
const interval = globalThis.setInterval;

Object.assign(globalThis, {
  document: fakeDocument,
  Element: FakeElement,
  HTMLInputElement: FakeInput,
  HTMLSelectElement: FakeSelect,
  Text: FakeText,
  history: fakeHistory,
  location: {
    get pathname() {
      return here().pathname;
    },
    get search() {
      return here().search;
    },
    origin: 'https://wm.test',
    reload() {},
  },
  sessionStorage: new FakeStore(),
  localStorage: new FakeStore(),
  addEventListener: fakeWindow.addEventListener.bind(fakeWindow),
  removeEventListener: fakeWindow.removeEventListener.bind(fakeWindow),
  ResizeObserver: Watcher,
  IntersectionObserver: Watcher,
  MutationObserver: Watcher,
  matchMedia: () => ({matches: false, addEventListener() {}, removeEventListener() {}}),
  requestAnimationFrame: (what: (at: number) => void) => setTimeout(() => what(0), 0),
  cancelAnimationFrame: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
  scrollTo() {},
  getSelection: () => null,
  innerHeight: 800,
  devicePixelRatio: 1,
  confirm: () => true,
  // Other tabs there are none.
  BroadcastChannel: class {
    onmessage = null;
    postMessage() {}
  },
  // What a page does again and again keeps no test alive.
  setInterval: (what: () => void, ms: number) => interval(what, ms).unref(),
});

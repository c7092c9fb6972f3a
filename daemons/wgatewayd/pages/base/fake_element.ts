// Role: for tests of what is drawn: elements, as far as the pages touch them. Nothing has a size, a
// style or a place: what needs one is tested in a browser. Part of fake_document.ts.

export interface Fired {
  readonly type: string;
  target: FakeElement;
  currentTarget: FakeElement;
  defaultPrevented: boolean;
  preventDefault(): void;
  stopPropagation(): void;
}
/** The document, as its elements know it. */
interface Owner extends Target {
  activeElement: FakeElement;
}
type Listener = (this: unknown, event: Fired) => void;

/** What listens, by the kind of event. */
export class Target {
  private readonly listeners = new Map<string, Set<Listener>>();
  addEventListener(type: string, what: Listener) {
    const known = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, known.add(what));
  }
  removeEventListener(type: string, what: Listener) {
    this.listeners.get(type)?.delete(what);
  }
  tell(event: Fired) {
    for (const what of [...(this.listeners.get(event.type) ?? [])]) what.call(this, event);
  }
  /** How many listen: what is gone has to have taken its own away. */
  heard(type: string): number {
    return this.listeners.get(type)?.size ?? 0;
  }
}

export class FakeNode extends Target {
  parentNode: FakeElement | null = null;
  childNodes: FakeNode[] = [];
  nodeType = 1;
  ownerDocument: Owner | null = null;

  get firstChild(): FakeNode | null {
    return this.childNodes[0] ?? null;
  }
  private sibling(by: number, elements: boolean): FakeNode | null {
    const all = this.parentNode?.childNodes ?? [];
    for (let at = all.indexOf(this) + by; at >= 0 && at < all.length; at += by) {
      const found = all[at];
      if (found && (!elements || found instanceof FakeElement)) return found;
    }
    return null;
  }
  get nextSibling() {
    return this.sibling(1, false);
  }
  get previousSibling() {
    return this.sibling(-1, false);
  }
  get nextElementSibling() {
    return this.sibling(1, true);
  }
  get previousElementSibling() {
    return this.sibling(-1, true);
  }
  get textContent(): string {
    return this.childNodes.map((node) => node.textContent).join('');
  }
  contains(other: FakeNode | null): boolean {
    for (let at = other; at; at = at.parentNode) if (at === this) return true;
    return false;
  }
  remove() {
    this.parentNode?.removeChild(this);
  }
}

export class FakeText extends FakeNode {
  override nodeType = 3;
  constructor(public data: string) {
    super();
  }
  get length() {
    return this.data.length;
  }
  override get textContent() {
    return String(this.data);
  }
}

const COMPOUND = /([\w-]+|\*)|#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:([\^]?)=["']?([^"'\]]*)["']?)?\]/g;

/** Does an element fit "tag#id.class[name=value]"? */
function fits(element: FakeElement, compound: string): boolean {
  for (const [, tag, id, name, attribute, begins, value] of compound.matchAll(COMPOUND)) {
    if (tag && tag !== '*' && element.localName !== tag) return false;
    if (id && element.getAttribute('id') !== id) return false;
    if (name && !element.classes.includes(name)) return false;
    if (!attribute) continue;
    const own = element.getAttribute(attribute);
    if (own === null) return false;
    if (value !== undefined && !(begins ? own.startsWith(value) : own === value)) return false;
  }
  return true;
}

/** Elements above it, in the order of the words before the last one, too? */
function matches(element: FakeElement, selector: string): boolean {
  const words = selector.trim().split(/\s+/);
  if (!fits(element, words.pop() ?? '')) return false;
  let above = element.parentNode;
  while (words.length && above) {
    if (fits(above, words[words.length - 1] ?? '')) words.pop();
    above = above.parentNode;
  }
  return words.length === 0;
}

export class FakeElement extends FakeNode {
  readonly attributes = new Map<string, string>();
  readonly style: Record<string, unknown> = {
    setProperty: (name: string, value: string) => {
      this.style[name] = value;
    },
  };
  readonly dataset: Record<string, string> = {};
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml';
  value = '';
  checked = false;
  open = false;
  disabled = false;
  scrollTop = 0;
  readonly scrollHeight = 0;
  readonly clientHeight = 0;
  readonly clientWidth = 600;
  readonly selectionStart: number | null = null;
  // A name in small letters among its members is what Preact looks for before it listens.
  readonly onclick = null;
  readonly oninput = null;
  readonly onchange = null;
  readonly onsubmit = null;
  readonly onkeydown = null;
  readonly onscroll = null;
  readonly onclose = null;
  readonly onfocus = null;
  readonly onblur = null;
  readonly onpointerenter = null;
  readonly onpointerleave = null;
  readonly ondragover = null;
  readonly ondrop = null;

  constructor(readonly localName: string) {
    super();
  }
  get classes(): string[] {
    return (this.getAttribute('class') ?? '').split(/\s+/);
  }
  get children(): FakeElement[] {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }
  getAttribute(name: string): string | null {
    if (name === 'disabled') return this.disabled ? '' : null;
    if (name === 'value') return this.value;
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name: string) {
    return this.getAttribute(name) !== null;
  }
  setAttribute(name: string, value: unknown) {
    this.attributes.set(name, String(value));
  }
  removeAttribute(name: string) {
    this.attributes.delete(name);
  }
  insertBefore(node: FakeNode, before: FakeNode | null) {
    node.remove();
    const at = before ? this.childNodes.indexOf(before) : -1;
    this.childNodes.splice(at < 0 ? this.childNodes.length : at, 0, node);
    node.parentNode = this;
    return node;
  }
  appendChild(node: FakeNode) {
    return this.insertBefore(node, null);
  }
  append(...nodes: FakeNode[]) {
    for (const node of nodes) this.appendChild(node);
  }
  removeChild(node: FakeNode) {
    this.childNodes = this.childNodes.filter((one) => one !== node);
    node.parentNode = null;
    return node;
  }
  querySelectorAll(selector: string): FakeElement[] {
    const own = this.children.flatMap((child) => [
      ...(selector.split(',').some((one) => matches(child, one)) ? [child] : []),
      ...child.querySelectorAll(selector),
    ]);
    return own;
  }
  querySelector(selector: string): FakeElement | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  closest(selector: string): FakeElement | null {
    if (matches(this, selector)) return this;
    return this.parentNode?.closest(selector) ?? null;
  }
  getBoundingClientRect = () => ({top: 0, left: 0, width: 600, height: 0, bottom: 0, right: 600});
  focus() {
    if (this.ownerDocument) this.ownerDocument.activeElement = this;
  }
  setSelectionRange(from: number, to: number) {
    this.dataset.selected = `${from} ${to}`;
  }
  showModal() {
    this.open = true;
  }
  close() {
    this.open = false;
    fire(this, 'close');
  }
  click() {
    fire(this, 'click');
  }
  /** A form that is sent by the browser itself. */
  submit() {
    this.dataset.sent = 'yes';
  }
  getContext() {
    return null;
  }
}
export class FakeInput extends FakeElement {}
export class FakeSelect extends FakeElement {}

/** Has something happen to an element, and to those above it. */
export function fire(element: FakeElement, type: string, more: object = {}): Fired {
  let goesOn = true;
  const event: Fired = {
    type,
    target: element,
    currentTarget: element,
    defaultPrevented: false,
    preventDefault: () => {
      event.defaultPrevented = true;
    },
    stopPropagation: () => {
      goesOn = false;
    },
    ...more,
  };
  for (let at: FakeElement | null = element; at && goesOn; at = at.parentNode) {
    event.currentTarget = at;
    at.tell(event);
  }
  if (goesOn) element.ownerDocument?.tell(event);
  return event;
}

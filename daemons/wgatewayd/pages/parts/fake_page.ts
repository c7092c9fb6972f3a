// Role: for tests of what is drawn: a component on a page that nobody sees, what stands on it in
// words, and what somebody does there.

import {type FakeElement, fakeDocument, fire} from '../base/fake_document.ts';
import {type ComponentType, h, render} from 'preact';

/** Until what was asked for has come and is drawn. */
export async function settled(turns = 12) {
  for (let turn = 0; turn < turns; ++turn) await new Promise((done) => setTimeout(done, 0));
}

export class FakePage {
  private readonly root = fakeDocument.createElement('div');

  private constructor() {
    fakeDocument.body.append(this.root);
  }
  /** Draws it, and waits for what it asks for. */
  static async of<P extends object>(component: ComponentType<P>, props: P): Promise<FakePage> {
    const page = new FakePage();
    render(h(component, props), page.root as unknown as Element);
    await settled();
    return page;
  }
  /** Takes it away. */
  end() {
    render(null, this.root as unknown as Element);
    this.root.remove();
  }

  all = (selector: string) => this.root.querySelectorAll(selector);
  /** The first such; there has to be one. */
  one(selector: string): FakeElement {
    const found = this.root.querySelector(selector);
    if (!found) throw new Error(`no ${selector} on: ${this.text()}`);
    return found;
  }
  /** All words, blanks between elements made one. */
  text = (selector?: string): string =>
    words(selector ? this.one(selector) : this.root)
      .replace(/\s+/g, ' ')
      .trim();
  /** Words of each such element. */
  texts = (selector: string) =>
    this.all(selector).map((one) => words(one).replace(/\s+/g, ' ').trim());

  /** The button or link that is called so, exactly or by its label. */
  called(name: string): FakeElement {
    const found = this.all('button, a').find(
      (one) => words(one).trim() === name || one.getAttribute('aria-label') === name,
    );
    if (!found) throw new Error(`nothing is called “${name}” on: ${this.text()}`);
    return found;
  }
  /** Presses it, and waits. One that cannot be pressed is a fault of the test. */
  async press(name: string) {
    const button = this.called(name);
    if (button.disabled) throw new Error(`“${name}” cannot be pressed`);
    fire(button, 'click', {button: 0});
    await settled();
  }
  /** Types into a field, found by its label or its name. */
  async type(name: string, text: string) {
    const field = this.field(name);
    field.value = text;
    fire(field, field.localName === 'select' ? 'change' : 'input');
    await settled();
  }
  field(name: string): FakeElement {
    const all = this.all('input, textarea, select');
    const labelled = (one: FakeElement) => {
      const label = one.closest('label')?.querySelector('span');
      return one.getAttribute('aria-label') ?? (label ? words(label).trim() : '');
    };
    const found = all.find((one) => one.getAttribute('name') === name || labelled(one) === name);
    if (!found) throw new Error(`no field ${name} on: ${this.text()}`);
    return found;
  }
  /** Sends the form that a field or a button stands in. */
  async submit(selector = 'form') {
    fire(this.one(selector), 'submit');
    await settled();
  }
}

/** Of an element and all in it; blocks do not run into each other. */
function words(element: FakeElement): string {
  return element.childNodes
    .map((node) => ('localName' in node ? ` ${words(node as FakeElement)} ` : node.textContent))
    .join('');
}

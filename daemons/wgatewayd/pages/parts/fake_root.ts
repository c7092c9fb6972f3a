// Role: for tests of parts: one of them drawn, and what stands in it.

import {fakeDocument} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {type ComponentType, h, render} from 'preact';

/** Until what was asked for has come and is drawn. */
export const settled = async () => {
  for (let turn = 0; turn < 10; ++turn) await new Promise((done) => setTimeout(done, 0));
};
let root = fakeDocument.createElement('div');
/** What is drawn is taken away. */
export function gone() {
  render(null, root as unknown as Element);
  root.remove();
}
export async function drawn<P extends object>(component: ComponentType<P>, props: P) {
  gone();
  root = fakeDocument.createElement('div');
  fakeDocument.body.append(root);
  render(h(component, props), root as unknown as Element);
  await settled();
}
export const one = (selector: string) =>
  root.querySelector(selector) ?? assert.fail(`no ${selector}`);
export const all = (selector: string) => root.querySelectorAll(selector);
export const texts = (selector: string) => all(selector).map((element) => element.textContent);
export const whole = () => root.textContent;

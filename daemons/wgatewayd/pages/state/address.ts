// Role: the address as the state of a page: where one is, and what the page keeps after the "?".

import {computed, signal} from '@preact/signals';

const here = () => ({
  path: globalThis.location?.pathname ?? '/',
  search: globalThis.location?.search ?? '',
});

const at = signal(here());
export const path = computed(() => at.value.path);
export const search = computed(() => at.value.search);
/** How often somebody went to another page within the application: its heading takes the focus. */
export const visits = signal(0);

const guards = new Set<() => string | null>();

/** While `guard` gives words, going away asks first. Returns how to end it. */
export function guardLeaving(guard: () => string | null): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}
function mayLeave() {
  for (const guard of guards) {
    const words = guard();
    if (words && !confirm(words)) return false;
  }
  return true;
}

/** To another page, without asking the server for the frame again. */
export function go(to: string) {
  if (!mayLeave()) return;
  history.pushState(null, '', to);
  scrollTo(0, 0);
  visits.value++;
  at.value = here();
}

/** A value after the "?"; empty: none. */
export const param = (name: string) => new URLSearchParams(search.value).get(name) ?? '';

/** Puts a value there, in the same entry of the history. Empty takes it away. */
export function setParam(name: string, value: string) {
  const query = new URLSearchParams(search.peek());
  if (value) query.set(name, value);
  else query.delete(name);
  const text = query.toString();
  history.replaceState(null, '', `${path.peek()}${text ? `?${text}` : ''}`);
  at.value = here();
}

/** Takes all of them away. */
export function clearParams() {
  history.replaceState(null, '', path.peek());
  at.value = here();
}

const SERVED = /^\/(ui|api|platform|auth|dlim|v1|s)\//;

/** Links of ours go without asking the server; others as ever. */
function onClick(event: MouseEvent) {
  const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null;
  const modified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  const to = link?.getAttribute('href') ?? '';
  if (!link || event.button !== 0 || modified || event.defaultPrevented) return;
  if (link.hasAttribute('download') || link.hasAttribute('target') || SERVED.test(to)) return;
  event.preventDefault();
  go(to);
}

if (globalThis.document) {
  document.addEventListener('click', onClick);
  addEventListener('popstate', () => {
    visits.value++;
    at.value = here();
  });
}

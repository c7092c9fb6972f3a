// Role: views that somebody keeps: what stands after the "?" of the address, by a name, in this
// browser. Shared by sending the address.

export interface Store {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}
export interface View {
  readonly name: string;
  readonly search: string;
}

const KEPT = 'wm-views-runs';
const MOST = 50;

/** What is damaged is as none. */
export function viewsIn(store: Store | undefined): View[] {
  try {
    const value: unknown = JSON.parse(store?.getItem(KEPT) ?? '[]');
    if (!Array.isArray(value)) return [];
    return value.filter(
      (one): one is View => typeof one?.name === 'string' && typeof one?.search === 'string',
    );
  } catch {
    return [];
  }
}

/** In place of one of the same name; the oldest goes when there are too many. */
export function kept(views: readonly View[], view: View): View[] {
  return [...views.filter((one) => one.name !== view.name), view].slice(-MOST);
}

export const dropped = (views: readonly View[], name: string): View[] =>
  views.filter((one) => one.name !== name);

export function keep(store: Store | undefined, views: readonly View[]) {
  store?.setItem(KEPT, JSON.stringify(views));
}

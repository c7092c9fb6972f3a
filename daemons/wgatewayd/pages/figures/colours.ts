// Role: colours of lines: names for those of the style sheet, kept for what has one, the same in
// all figures of a browser's session.

export const COLOURS = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'] as const;
export const NEUTRAL = 'kt';
const KEPT = 'wm-colours';

const VARIABLE: Readonly<Record<string, string>> = {kt: '--line2', kv: '--c3'};
/** The custom property of the style sheet that a colour is. */
export const propertyOf = (colour: string) => VARIABLE[colour] ?? `--c${colour.slice(1)}`;

/** Those of `ids`, each its own, kept where it is free: seven at most, the rest neutral. */
export function assigned(
  ids: readonly string[],
  kept: Readonly<Record<string, string>>,
): Map<string, string> {
  const made = new Map<string, string>();
  const free = new Set<string>(COLOURS);
  for (const id of ids) {
    const own = kept[id];
    if (own && free.delete(own)) made.set(id, own);
  }
  for (const id of ids) {
    if (made.has(id)) continue;
    const [next] = free;
    made.set(id, next ?? NEUTRAL);
    if (next) free.delete(next);
  }
  return made;
}

/** As assigned(), remembered while the browser's tab lives. */
export function colours(ids: readonly string[]): Map<string, string> {
  const store = globalThis.sessionStorage;
  let kept: Record<string, string> = {};
  try {
    kept = JSON.parse(store?.getItem(KEPT) ?? '{}');
  } catch {
    // What is damaged is made anew.
  }
  const made = assigned(ids, kept);
  const all = {...kept, ...Object.fromEntries([...made].filter(([, c]) => c !== NEUTRAL))};
  store?.setItem(KEPT, JSON.stringify(Object.fromEntries(Object.entries(all).slice(-200))));
  return made;
}

const parts = (hex: string): number[] => {
  const digits = hex.replace('#', '');
  const long = digits.length === 3 ? [...digits].map((d) => d + d).join('') : digits;
  return [0, 2, 4].map((at) => Number.parseInt(long.slice(at, at + 2), 16));
};

/** So many parts of a hundred of one colour on another, both "#rgb" or "#rrggbb". */
export function mixed(colour: string, ground: string, strength: number): string {
  const [over, under] = [parts(colour.trim()), parts(ground.trim())];
  const made = over.map((v, i) =>
    Math.round((v * strength + (under[i] ?? 0) * (100 - strength)) / 100)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${made.join('')}`;
}

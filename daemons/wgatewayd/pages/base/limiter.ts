// Role: not too often, and the newest only: pacing of what changes, requests that a later one makes
// void.

/** Calls `what` at most once in `ms`, the last time included. @param now of Date, for tests */
export function paced(what: () => void, ms: number, now: () => number = Date.now): () => void {
  let last = 0;
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    setTimeout(
      () => {
        waits = false;
        last = now();
        what();
      },
      Math.max(0, last + ms - now()),
    );
  };
}

/** A function whose answer counts only if none was asked for after it; null: it does not. */
export function newest<A extends unknown[], T>(ask: (...args: A) => Promise<T>) {
  let turn = 0;
  return async (...args: A): Promise<T | null> => {
    const mine = ++turn;
    const answer = await ask(...args);
    return mine === turn ? answer : null;
  };
}

// Role: what the server refuses with, as a value: the status, one sentence, and what it says of
// each field.

export class Refused extends Error {
  /** 0: nobody answered. */
  readonly status: number;
  /** What is wrong, by the field's name; empty: it is about none. */
  readonly fields: Readonly<Record<string, string>>;
  /** Seconds until it is worth asking again; null: not said. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    text: string,
    fields: Readonly<Record<string, string>> = {},
    retryAfter: number | null = null,
  ) {
    super(text);
    this.status = status;
    this.fields = fields;
    this.retryAfter = retryAfter;
  }
}

/** What went wrong, as one; what is no refusal is a fault of ours. */
export const asRefused = (problem: unknown) =>
  problem instanceof Refused ? problem : new Refused(-1, String(problem));

function fieldsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || !('fields' in value)) return {};
  const listed = value.fields;
  if (typeof listed !== 'object' || listed === null) return {};
  return Object.fromEntries(Object.entries(listed).map(([key, text]) => [key, String(text)]));
}

/** Of an answer that is no success. Words in HTML are nginx's own, about a daemon behind it. */
export function refusalOf(status: number, kind: string, text: string, retry: string | null) {
  const again = retry !== null && /^\d+$/.test(retry) ? Number(retry) : null;
  if (kind.includes('html')) {
    return new Refused(status, `the server is out of order (HTTP ${status})`, {}, again);
  }
  try {
    const value: unknown = JSON.parse(text);
    const title =
      typeof value === 'object' && value !== null && 'title' in value ? String(value.title) : text;
    return new Refused(status, title, fieldsOf(value), again);
  } catch {
    const words = text.replace(/^Error \d+: /, '').trim();
    return new Refused(status, words || `HTTP ${status}`, {}, again);
  }
}

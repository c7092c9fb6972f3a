// Role: for tests of models: a server that answers what a test says, and keeps what it was asked.

type Answer = unknown | ((body: unknown) => unknown);

/** An answer that is no success. */
export class No {
  constructor(
    readonly status: number,
    readonly title: string,
  ) {}
}

export interface AskedFor {
  readonly what: string;
  readonly body: unknown;
}

const bodyOf = (body: unknown) => (typeof body === 'string' && body ? JSON.parse(body) : null);

export class FakeServer {
  readonly asked: AskedFor[] = [];
  private readonly answers = new Map<string, Answer>();

  constructor() {
    globalThis.fetch = async (path, options) => this.answer(String(path), options ?? {});
  }
  /** @param what "GET /path", without what stands after "?" */
  on(what: string, answer: Answer): this {
    this.answers.set(what, answer);
    return this;
  }
  /** What was asked since the last time, in words. */
  words(): string[] {
    return this.asked.splice(0).map(({what}) => what);
  }

  private answer(path: string, options: RequestInit): Response {
    const method = options.method ?? 'GET';
    const body = bodyOf(options.body);
    this.asked.push({what: `${method} ${path}`, body});
    const said = this.answers.get(`${method} ${path.split('?')[0]}`);
    const value = typeof said === 'function' ? said(body) : said;
    if (said === undefined) return problem(new No(404, `${path} does not exist`));
    return value instanceof No ? problem(value) : Response.json(value ?? {});
  }
}

const problem = ({status, title}: No) => Response.json({status, title}, {status});

// Role: questions to the server. What is refused is thrown as Refused; who is not logged on any
// more is told once to whom `onLost` names.

import {Refused, refusalOf} from './problem.ts';

export interface Options {
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

let lost: () => void = () => {};
/** What is to happen when the server says that nobody is logged on. */
export function onLost(what: () => void) {
  lost = what;
}

async function sent(method: string, path: string, options: Options): Promise<Response> {
  try {
    return await fetch(path, {method, credentials: 'same-origin', ...options});
  } catch (problem) {
    if (options.signal?.aborted) throw problem;
    throw new Refused(0, 'the server does not answer');
  }
}

/** The answer itself. Throws Refused, also where nobody answers (status 0). */
export async function ask(method: string, path: string, options: Options = {}): Promise<Response> {
  const answer = await sent(method, path, options);
  if (answer.ok) return answer;
  if (answer.status === 401 && !path.startsWith('/auth/')) lost();
  const kind = answer.headers.get('Content-Type') ?? '';
  const text = await answer.text();
  throw refusalOf(answer.status, kind, text, answer.headers.get('Retry-After'));
}

/** What is at an address. `T` is what its row of the interface says. */
export const get = async <T>(path: string): Promise<T> => (await ask('GET', path)).json();

export const JSON_BODY = {'Content-Type': 'application/json'};

/** Sends a value. @param key Idempotency-Key: sent again with it, it is done once */
export function send(path: string, value: unknown, method = 'POST', key?: string) {
  const headers = key ? {...JSON_BODY, 'Idempotency-Key': key} : JSON_BODY;
  return ask(method, path, {body: JSON.stringify(value), headers});
}

/** Parts of an address from outside. */
export const part = encodeURIComponent;
export const jobPath = (id: string) => `/apps/${part(id)}`;
/** The page of an execution: its job is the end of its id; "2.1" is element 1 of array 2. */
export function runPath(exec: string) {
  const job = exec.slice(exec.lastIndexOf('-') + 1);
  const [array, element] = job.split('.');
  return jobPath(element ? `${array}[${element}]` : job);
}

/** Where something is kept: the first of its name, or the next version of what there is. */
export const kept = (list: string, name: string, known: boolean) =>
  known ? ({method: 'PUT', path: `${list}/${part(name)}`} as const) : {method: 'POST', path: list};

/** Tells how much of a body is sent. XMLHttpRequest: fetch says nothing of uploads. */
export function upload(
  to: {readonly method: string; readonly path: string},
  body: FormData,
  progress: (share: number) => void,
  key?: string,
): Promise<string> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open(to.method, to.path);
    if (key) request.setRequestHeader('Idempotency-Key', key);
    request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    request.onerror = () => fail(new Refused(0, 'the server does not answer'));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) return done(request.responseText);
      if (request.status === 401) lost();
      const kind = request.getResponseHeader('Content-Type') ?? '';
      const retry = request.getResponseHeader('Retry-After');
      fail(refusalOf(request.status, kind, request.responseText, retry));
    };
    request.send(body);
  });
}

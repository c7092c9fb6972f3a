import assert from 'node:assert/strict';
import {afterEach, test} from 'node:test';
import {ask, get, jobPath, kept, onLost, part, runPath, send, upload} from './client.ts';
import {asRefused, Refused, refusalOf} from './problem.ts';

let asked: {path: string; options: RequestInit}[] = [];
function answers(answer: Response | Error) {
  asked = [];
  globalThis.fetch = async (path, options) => {
    asked.push({path: String(path), options: options ?? {}});
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
}
const refusal = async (what: Promise<unknown>): Promise<Refused> => {
  try {
    await what;
  } catch (problem) {
    if (problem instanceof Refused) return problem;
    throw problem;
  }
  return assert.fail('it was not refused');
};
let lost = 0;
onLost(() => ++lost);
afterEach(() => {
  lost = 0;
});

test('what is there is asked for with the session, and comes as it is', async () => {
  answers(Response.json({a: 1}));
  assert.deepEqual(await get('/api/v1/x'), {a: 1});
  assert.equal(asked[0]?.options.credentials, 'same-origin');
  assert.equal(asked[0]?.options.method, 'GET');
});

test('a value is sent as JSON; with a key it is done once', async () => {
  answers(Response.json({}));
  await send('/x', {a: [1]});
  await send('/x', null, 'PUT', 'k-1');
  const [first, second] = asked.map(({options}) => options);
  assert.deepEqual([first?.method, first?.body], ['POST', '{"a":[1]}']);
  assert.equal(new Headers(first?.headers).get('Idempotency-Key'), null);
  assert.deepEqual([second?.method, second?.body], ['PUT', 'null']);
  const headers = new Headers(second?.headers);
  assert.equal(headers.get('Idempotency-Key'), 'k-1');
  assert.equal(headers.get('Content-Type'), 'application/json');
});

test('a refusal says its status, its sentence, its fields, and when to come again', async () => {
  const problem = {title: 'no', fields: {name: 'taken', n: 5}};
  answers(Response.json(problem, {status: 409, headers: {'Retry-After': '12'}}));
  const refused = await refusal(ask('POST', '/x'));
  assert.deepEqual(
    [refused.status, refused.message, refused.fields, refused.retryAfter],
    [409, 'no', {name: 'taken', n: '5'}, 12],
  );
});

test('nobody answers: status 0; what was given up is no refusal', async () => {
  answers(new TypeError('Failed to fetch'));
  assert.equal((await refusal(ask('GET', '/x'))).status, 0);
  const abort = new AbortController();
  abort.abort();
  await assert.rejects(ask('GET', '/x', {signal: abort.signal}), TypeError);
});

test('that nobody is logged on is told once an answer; a wrong password is not that', async () => {
  answers(new Response('', {status: 401}));
  await refusal(ask('GET', '/api/v1/jobs'));
  assert.equal(lost, 1);
  await refusal(ask('POST', '/auth/v1/logon'));
  assert.equal(lost, 1);
  answers(new Response('', {status: 403}));
  await refusal(ask('GET', '/api/v1/jobs'));
  assert.equal(lost, 1);
});

test('words of a refusal come from whatever form it has', () => {
  const of = (status: number, kind: string, text: string) => refusalOf(status, kind, text, null);
  assert.equal(of(500, 'application/json', '{"title":"full"}').message, 'full');
  assert.equal(of(400, 'application/json', '{"no":"title"}').message, '{"no":"title"}');
  assert.equal(of(400, 'application/json', '5').message, '5', 'a number has no title');
  assert.equal(of(400, 'application/json', '{"title":').message, '{"title":', 'half an answer');
  assert.equal(of(404, 'text/plain', 'Error 404: no job 7\n').message, 'no job 7');
  assert.equal(of(503, 'text/plain', ' ').message, 'HTTP 503');
  assert.equal(
    of(502, 'text/html; charset=x', '<h1>').message,
    refusalOf(502, 'html', '', null).message,
  );
  assert.deepEqual(of(400, '', '{"title":"a","fields":["x"]}').fields, {'0': 'x'});
  assert.deepEqual(of(400, '', '{"title":"a","fields":"x"}').fields, {});
  assert.equal(refusalOf(503, '', '', 'soon').retryAfter, null);
});

test('what is no refusal is a fault of ours, and stays told', () => {
  const refused = new Refused(409, 'x');
  assert.equal(asRefused(refused), refused);
  assert.deepEqual([asRefused(new TypeError('y')).status, asRefused('z').message], [-1, 'z']);
});

test('parts of an address are one part each, whatever they are called', () => {
  assert.equal(jobPath('12[3]'), '/apps/12%5B3%5D');
  assert.equal(part('../a?b#c'), '..%2Fa%3Fb%23c');
  assert.equal(runPath('cluster-7'), '/apps/7');
  assert.equal(runPath('my-cluster-2.1'), '/apps/2%5B1%5D', 'an element of an array');
  assert.equal(runPath('9'), '/apps/9');
});

test('the first of a name is posted to the list, the next version put to the name', () => {
  assert.deepEqual(kept('/l', 'a b', false), {method: 'POST', path: '/l'});
  assert.deepEqual(kept('/l', 'a b', true), {method: 'PUT', path: '/l/a%20b'});
});

/** What a browser uploads by. */
class FakeRequest {
  static last: FakeRequest;
  readonly upload: {onprogress?: (event: object) => void} = {};
  readonly headers: Record<string, string> = {};
  onload = () => {};
  onerror = () => {};
  status = 0;
  responseText = '';
  answered: Record<string, string> = {};
  opened: readonly string[] = [];
  body: unknown;
  constructor() {
    FakeRequest.last = this;
  }
  open(...words: string[]) {
    this.opened = words;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  getResponseHeader(name: string) {
    return this.answered[name] ?? null;
  }
  send(body: unknown) {
    this.body = body;
  }
  answer(status: number, text: string) {
    Object.assign(this, {status, responseText: text});
    this.onload();
  }
}
Object.assign(globalThis, {XMLHttpRequest: FakeRequest});

test('an upload tells how much is sent, and gives what was answered', async () => {
  const shares: number[] = [];
  const body = new FormData();
  const done = upload({method: 'PUT', path: '/x'}, body, (share) => shares.push(share), 'k');
  const request = FakeRequest.last;
  assert.deepEqual([request.opened, request.headers], [['PUT', '/x'], {'Idempotency-Key': 'k'}]);
  request.upload.onprogress?.({lengthComputable: true, loaded: 1, total: 4});
  request.upload.onprogress?.({lengthComputable: false, loaded: 2, total: 0});
  request.answer(201, '"made"');
  assert.deepEqual([await done, shares, request.body], ['"made"', [0.25], body]);
});

test('an upload that is refused, or that nobody answers, is refused', async () => {
  const sent = () => refusal(upload({method: 'POST', path: '/x'}, new FormData(), () => {}));
  const large = sent();
  FakeRequest.last.answer(413, '{"title":"it is too large","fields":{"file":"too large"}}');
  assert.deepEqual((await large).fields, {file: 'too large'});
  const away = sent();
  FakeRequest.last.onerror();
  assert.equal((await away).status, 0);
  const over = sent();
  FakeRequest.last.answer(401, '');
  assert.deepEqual([(await over).status, lost], [401, 1]);
});

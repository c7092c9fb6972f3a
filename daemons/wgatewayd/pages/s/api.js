// Role: questions to the server, and the one event stream; what all pages know of jobs is here.

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

async function reason(answer) {
  // nginx's own words are about a daemon behind it, in HTML.
  if (answer.headers.get('Content-Type')?.includes('html')) return `the server is out of order (HTTP ${answer.status})`;
  const text = await answer.text();
  try {
    return JSON.parse(text).title || text;
  } catch {
    return text.replace(/^Error \d+: /, '').trim() || `HTTP ${answer.status}`;
  }
}

/** The answer itself. Throws Refused, also where nobody answers (status 0). */
export async function ask(method, path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, {method, credentials: 'same-origin', ...options});
  } catch {
    throw new Refused(0, 'the server does not answer');
  }
  if (answer.status === 401 && !path.startsWith('/auth/')) store.lose();
  if (!answer.ok) throw new Refused(answer.status, await reason(answer));
  return answer;
}

export const get = async (path) => (await ask('GET', path)).json();

/** Who looks, the jobs by id, and whether they are live; listeners hear of every change. */
class Store {
  jobs = new Map();
  session = null;
  live = false;
  listeners = new Set();
  skew = 0;

  /** The server's clock, seconds. */
  now() {
    return Date.now() / 1000 + this.skew;
  }
  hear(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  tell(changed) {
    for (const listener of this.listeners) listener(changed);
  }
  setClock(now) {
    this.skew = now - Date.now() / 1000;
  }

  /** True when somebody is logged on. */
  async begin() {
    try {
      this.session = await get('/api/v1/session');
    } catch (problem) {
      if (problem.status !== 401) throw problem;
      return false;
    }
    this.setClock(this.session.now);
    this.listen();
    return true;
  }
  lose() {
    const had = this.session;
    this.session = null;
    this.stream?.close();
    this.stream = null;
    if (had) this.tell('session');
  }

  listen() {
    this.stream?.close();
    const stream = new EventSource('/api/v1/stream');
    this.stream = stream;
    // Opened again by the browser it goes on where it was; what cannot be made good is a "reset".
    let opened = false;
    stream.onopen = () => {
      if (!opened) this.list();
      opened = true;
    };
    stream.onerror = () => {
      this.setLive(false);
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => this.session && this.listen(), 2000);
    };
    stream.addEventListener('reset', () => this.list());
    stream.addEventListener('stale', () => this.setLive(false));
    stream.addEventListener('tick', (event) => {
      this.setClock(JSON.parse(event.data).now);
      this.setLive(true);
      this.tell('tick');
    });
    stream.addEventListener('job', (event) => {
      const job = JSON.parse(event.data), before = this.jobs.get(job.jobid);
      this.jobs.set(job.jobid, job);
      const resized = before?.nalloc_slot !== job.nalloc_slot || before?.wm_state !== job.wm_state;
      this.tell(resized ? 'jobs' : 'progress');
    });
  }
  setLive(live) {
    if (this.live === live) return;
    this.live = live;
    this.tell('live');
  }
  async list() {
    try {
      const {jobs, now} = await get('/api/v1/jobs');
      this.setClock(now);
      this.jobs = new Map(jobs.map((job) => [job.jobid, job]));
      this.setLive(true);
      this.tell('jobs');
    } catch {
      this.setLive(false);
    }
  }
}

export const store = new Store();

/** Does something to a job, and says what came of it. */
export async function act(id, verb) {
  await ask('POST', `/api/v1/jobs/${encodeURIComponent(id)}/${verb}`);
}

/** Calls `what` at most once in `ms`, the last time included. */
export function paced(what, ms) {
  let last = 0, waiting = null;
  return () => {
    if (waiting) return;
    waiting = setTimeout(() => {
      waiting = null;
      last = Date.now();
      what();
    }, Math.max(0, last + ms - Date.now()));
  };
}

// Role: the one that holds the stream and all jobs, and tells each tab what it looks at. In the
// SharedWorker, or in a tab's own worker where there is none. What changes is folded: FOLD_MS
// apart, hidden tabs not at all.
//
//   stale ─► not live until a list succeeds: ticks say that the door lives, not the master
//   reset, an hour ─► listed anew: nothing tells that the master has let go of a job
//   401 ─► every tab is told, nothing is tried again until one logs on

import type {JobRow} from '../api/shapes.ts';
import {paced} from '../base/limiter.ts';
import {countsOf, windowOf} from './jobs.ts';
import {KeptViews} from './kept_views.ts';
import {type FromHub, type Line, type ToHub, VERSION, type ViewAsked} from './messages.ts';
import type {Event} from './sse.ts';
import {REAL, Stream, type World} from './stream.ts';

const FOLD_MS = 100;
const LIST_AGAIN_MS = 3000;
const LIST_ANEW_MS = 3_600_000;

interface Tab {
  readonly line: Line<FromHub>;
  hidden: boolean;
  /** What it has not heard while hidden. */
  missed: boolean;
  readonly views: Map<string, ViewAsked>;
  readonly followed: Map<string, readonly string[]>;
}
interface Jobs {
  readonly now: number;
  readonly jobs: readonly JobRow[];
}

/** Why it is no list. */
async function wordsOf(answer: Response): Promise<string> {
  const said = await answer.json().catch(() => null);
  return said?.title ? String(said.title) : `HTTP ${answer.status}`;
}

export class Hub {
  private jobs = new Map<string, JobRow>();
  private readonly kept = new KeptViews();
  /** Has a list come? Until then nothing is told of jobs: none known is not none there. */
  private listed = false;
  private readonly tabs = new Map<Line<FromHub>, Tab>();
  private readonly stream: Stream;
  private user = '';
  private live = false;
  private stale = false;
  private trouble = '';
  private heardAt = 0;
  private skew = 0;
  private running = false;
  private anew: unknown = null;
  private changed = new Set<string>();
  private anything = false;
  private readonly fold: () => void;

  constructor(private readonly world: World = REAL) {
    this.fold = paced(() => this.tell(), FOLD_MS);
    this.stream = new Stream('/api/v1/stream', this.hearer(), world);
  }

  /** A message of a tab. */
  hear(line: Line<FromHub>, message: ToHub) {
    if (message.say === 'hello') return this.greet(line, message);
    const tab = this.tabs.get(line);
    if (!tab) return;
    if (message.say === 'bye') this.leave(line);
    else if (message.say === 'hidden') this.hide(tab, message.hidden);
    else if (message.say === 'view') {
      tab.views.set(message.key, message.view);
      this.tellView(tab, message.key, message.view);
    } else if (message.say === 'jobs') {
      tab.followed.set(message.key, message.ids);
      this.tellJobs(tab, message.key, message.ids);
    } else {
      tab.views.delete(message.key);
      tab.followed.delete(message.key);
    }
  }

  private greet(line: Line<FromHub>, said: {readonly user: string; readonly version: number}) {
    if (said.version !== VERSION) return line.send({say: 'old'});
    const tab: Tab = {line, hidden: false, missed: false, views: new Map(), followed: new Map()};
    this.tabs.set(line, tab);
    if (this.user !== said.user) this.forget(said.user);
    if (!this.running) this.start();
    this.tellStanding(tab);
    if (this.listed) this.tellCounts(tab);
  }
  private leave(line: Line<FromHub>) {
    this.tabs.delete(line);
    if (this.tabs.size === 0) this.stop();
  }
  private hide(tab: Tab, hidden: boolean) {
    tab.hidden = hidden;
    if (hidden || !tab.missed) return;
    tab.missed = false;
    this.tellTab(tab, []);
  }
  private forget(user: string) {
    this.stop();
    this.user = user;
    this.jobs = new Map();
    this.kept.forget();
    this.listed = false;
    this.live = false;
    this.trouble = '';
  }
  private start() {
    this.running = true;
    this.stream.forget();
    this.stream.open();
  }
  private stop() {
    this.running = false;
    this.world.cancel(this.anew);
    this.stream.close();
  }

  private hearer() {
    return {
      opened: (resumed: boolean) => {
        if (!resumed || !this.listed) void this.list();
      },
      heard: (event: Event) => this.heard(event),
      broke: () => this.setLive(false),
      lost: () => {
        this.stop();
        this.setLive(false);
        for (const tab of this.tabs.values()) tab.line.send({say: 'lost'});
      },
    };
  }
  private heard(event: Event) {
    if (event.name === 'reset') void this.list();
    else if (event.name === 'stale') {
      this.stale = true;
      this.setLive(false);
    } else if (event.name === 'tick') this.tick(JSON.parse(event.data).now);
    else if (event.name === 'job') this.take(JSON.parse(event.data));
  }
  private tick(now: number) {
    this.setClock(now);
    if (!this.stale) this.setLive(true);
  }
  private take(job: JobRow) {
    const before = this.jobs.get(job.jobid);
    this.jobs.set(job.jobid, job);
    this.kept.forget();
    const same = before?.nalloc_slot === job.nalloc_slot && before?.wm_state === job.wm_state;
    if (!same) this.changed.add(job.jobid);
    this.anything = true;
    this.fold();
  }

  private async list() {
    this.world.cancel(this.anew);
    try {
      const options = {credentials: 'same-origin' as const};
      const answer = await this.world.fetch('/api/v1/jobs', options);
      if (!answer.ok) return this.unlisted(await wordsOf(answer));
      const {now, jobs}: Jobs = await answer.json();
      this.setClock(now);
      this.jobs = new Map(jobs.map((job) => [job.jobid, job]));
      this.kept.forget();
      this.listed = true;
      this.stale = false;
      this.setTrouble('');
      this.setLive(true);
      this.anything = true;
      this.changed.add('');
      this.fold();
      this.anew = this.world.later(() => this.running && void this.list(), LIST_ANEW_MS);
    } catch {
      this.unlisted('the server does not answer');
    }
  }
  private unlisted(why: string) {
    this.stale = true;
    this.setLive(false);
    this.setTrouble(why);
    this.world.later(() => this.running && this.stale && void this.list(), LIST_AGAIN_MS);
  }

  private setClock(now: number) {
    this.heardAt = now;
    const skew = now - Date.now() / 1000;
    if (Math.abs(skew - this.skew) < 0.2) return;
    this.skew = skew;
    this.all({say: 'clock', skew});
  }
  private setLive(live: boolean) {
    if (this.live === live) return;
    this.live = live;
    this.all(this.standing());
  }
  private setTrouble(words: string) {
    if (this.trouble === words) return;
    this.trouble = words;
    this.all(this.standing());
  }
  private standing(): FromHub {
    return {say: 'live', live: this.live, heard: this.heardAt, trouble: this.trouble};
  }
  private all(message: FromHub) {
    for (const tab of this.tabs.values()) tab.line.send(message);
  }
  private tellStanding(tab: Tab) {
    tab.line.send({say: 'clock', skew: this.skew});
    tab.line.send(this.standing());
  }

  private tell() {
    if (!this.anything || !this.listed) return;
    const changed = [...this.changed];
    this.changed.clear();
    this.anything = false;
    for (const tab of this.tabs.values()) {
      if (tab.hidden) tab.missed = true;
      else this.tellTab(tab, changed);
    }
  }
  private tellTab(tab: Tab, changed: readonly string[]) {
    this.tellCounts(tab);
    for (const [key, view] of tab.views) this.tellView(tab, key, view);
    for (const [key, ids] of tab.followed) this.tellJobs(tab, key, ids);
    if (changed.length) tab.line.send({say: 'changed', ids: changed});
  }
  private tellCounts(tab: Tab) {
    tab.line.send({say: 'counts', counts: countsOf(this.jobs.values(), this.user)});
  }
  private tellView(tab: Tab, key: string, view: ViewAsked) {
    if (!this.listed) return;
    const now = Date.now() / 1000 + this.skew;
    const {rows, problems} = this.kept.of(this.jobs, view, this.user, now);
    const window = windowOf(rows, view, problems);
    tab.line.send({say: 'window', key, window});
  }
  private tellJobs(tab: Tab, key: string, ids: readonly string[]) {
    if (!this.listed) return;
    const rows = ids.flatMap((id) => this.jobs.get(id) ?? []);
    tab.line.send({say: 'jobs', key, rows});
  }
}

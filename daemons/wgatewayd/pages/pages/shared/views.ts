// Role: views of a page that somebody keeps by a name: what stands behind the "?" of the address.
// On the server, one's own or a project's, which its members have too. A name is there once in each
// place, whatever page it is of.

import {computed, signal} from '@preact/signals';
import {ask, get, part, send} from '../../api/client.ts';
import type {Project} from '../../api/shapes.ts';
import type {SavedView} from '../../api/shapes_more.ts';
import {Form} from '../../parts/form_model.ts';
import {Doing} from '../../state/doing.ts';

/** Where it is kept; project empty: with oneself. */
export interface View extends SavedView {
  readonly project: string;
}

const base = (project: string) =>
  project ? `/api/v1/projects/${part(project)}/views` : '/api/v1/views';
const pathOf = (view: {project: string; name: string}) =>
  `${base(view.project)}/${part(view.name)}`;

async function listOf(project: string): Promise<View[]> {
  try {
    const {views} = await get<{views: readonly SavedView[]}>(base(project));
    return views.map((view) => ({...view, project}));
  } catch (problem) {
    if (project) return []; // one whose owner does not answer keeps the others' from nobody
    throw problem;
  }
}

/** Of all pages: one's own first, then those of projects by name. */
export async function allViews(projects: readonly string[]): Promise<View[]> {
  const lists = await Promise.all(['', ...projects].map(listOf));
  return lists.flat();
}

export const keepView = (view: Pick<View, 'project' | 'name' | 'page' | 'search'>) =>
  send(pathOf(view), {page: view.page, search: view.search}, 'PUT');
export const dropView = (view: {project: string; name: string}) => ask('DELETE', pathOf(view));

/** What it is told from others by. */
export const viewTitle = ({name, project}: View) => (project ? `${name} (${project})` : name);

const OLD = 'wm-views-runs';
/** Those of runs that this browser kept before the server did; handed over once. */
export function oldViews(store: Pick<Storage, 'getItem'> | undefined) {
  try {
    const value: unknown = JSON.parse(store?.getItem(OLD) ?? '[]');
    if (!Array.isArray(value)) return [];
    return value.filter(
      (one): one is {name: string; search: string} =>
        typeof one?.name === 'string' && typeof one?.search === 'string',
    );
  } catch {
    return [];
  }
}

type Store = Pick<Storage, 'getItem' | 'removeItem'>;
const FRESH = {name: '', project: ''};
const PAGES: Readonly<Record<string, string>> = {'/runs': 'Runs', '/apps': 'Applications'};

export class Views {
  private readonly all = signal<readonly View[]>([]);
  /** Those of this page. */
  readonly list = computed(() => this.all.value.filter(({page}) => page === this.page));
  /** Those that one may keep views in for the members. */
  readonly projects = signal<readonly string[]>([]);
  readonly form = new Form(FRESH);
  readonly shown = signal(false);
  readonly doing = new Doing();

  /** @param page its address, without what stands behind the "?" */
  constructor(
    private readonly page: string,
    private readonly store: Store | undefined = globalThis.localStorage,
  ) {}

  /** What cannot be asked for is not there: the page goes on without. */
  async load() {
    try {
      const {projects} = await get<{projects: readonly Project[]}>('/api/v1/projects');
      this.projects.value = projects.map(({name, owner, role}) =>
        role && role !== 'owner' ? `${owner}~${name}` : name,
      );
      await this.handOver();
      this.all.value = await allViews(this.projects.peek());
    } catch {
      this.all.value = [];
    }
  }
  private async handOver() {
    for (const one of oldViews(this.store)) await keepView({...one, page: '/runs', project: ''});
    this.store?.removeItem(OLD);
  }
  open = () => {
    this.form.reset();
    this.shown.value = true;
  };
  close = () => {
    this.shown.value = false;
  };
  async keep(search: string) {
    const {name, project} = this.form.value.value;
    const view = {name: name.trim(), project, page: this.page, search};
    const missing = this.missing(view);
    if (!(await this.form.submit(() => keepView(view), missing))) return;
    this.close();
    await this.load();
  }
  /** One of another page would be lost: it cannot be seen from here. */
  private missing({name, project}: {name: string; project: string}): Record<string, string> {
    if (!name) return {name: 'Which name?'};
    const other = this.all.value.find(
      (view) => view.name === name && view.project === project && view.page !== this.page,
    );
    if (!other) return {};
    return {name: `${PAGES[other.page] ?? other.page} has a view of this name: take another.`};
  }
  async drop(view: View) {
    if (await this.doing.run(() => dropView(view), view.name)) await this.load();
  }
}

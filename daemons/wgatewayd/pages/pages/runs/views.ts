// Role: views of runs that somebody keeps by a name: what stands behind the "?" of the address. On
// the server, one's own or a project's, which its members have too.

import {signal} from '@preact/signals';
import {ask, get, part, send} from '../../api/client.ts';
import type {Project} from '../../api/shapes.ts';
import type {SavedView} from '../../api/shapes_more.ts';
import {Form} from '../../parts/form_model.ts';
import {Doing} from '../../state/doing.ts';

/** Where it is kept; project empty: with oneself. */
export interface View extends SavedView {
  readonly project: string;
}

const PAGE = '/runs';

const base = (project: string) =>
  project ? `/api/v1/projects/${part(project)}/views` : '/api/v1/views';
const pathOf = (view: {project: string; name: string}) =>
  `${base(view.project)}/${part(view.name)}`;

async function listOf(project: string): Promise<View[]> {
  try {
    const {views} = await get<{views: readonly SavedView[]}>(base(project));
    return views.filter(({page}) => page === PAGE).map((view) => ({...view, project}));
  } catch (problem) {
    if (project) return []; // one whose owner does not answer keeps the others' from nobody
    throw problem;
  }
}

/** One's own first, then those of projects by name. */
export async function allViews(projects: readonly string[]): Promise<View[]> {
  const lists = await Promise.all(['', ...projects].map(listOf));
  return lists.flat();
}

export const keepView = (view: {project: string; name: string; search: string}) =>
  send(pathOf(view), {page: PAGE, search: view.search}, 'PUT');
export const dropView = (view: {project: string; name: string}) => ask('DELETE', pathOf(view));

/** What it is told from others by. */
export const viewTitle = ({name, project}: View) => (project ? `${name} (${project})` : name);

const OLD = 'wm-views-runs';
/** Those that this browser kept before the server did; handed over once. */
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

export class Views {
  readonly list = signal<readonly View[]>([]);
  /** Those that one may keep views in for the members. */
  readonly projects = signal<readonly string[]>([]);
  readonly form = new Form(FRESH);
  readonly shown = signal(false);
  readonly doing = new Doing();

  constructor(private readonly store: Store | undefined = globalThis.localStorage) {}

  /** What cannot be asked for is not there: a page of runs goes on without. */
  async load() {
    try {
      const {projects} = await get<{projects: readonly Project[]}>('/api/v1/projects');
      this.projects.value = projects.map(({name, owner, role}) =>
        role && role !== 'owner' ? `${owner}~${name}` : name,
      );
      await this.handOver();
      this.list.value = await allViews(this.projects.peek());
    } catch {
      this.list.value = [];
    }
  }
  private async handOver() {
    for (const one of oldViews(this.store)) await keepView({...one, project: ''});
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
    const missing: Record<string, string> = name.trim() ? {} : {name: 'Which name?'};
    const view = {name: name.trim(), project, search};
    if (!(await this.form.submit(() => keepView(view), missing))) return;
    this.close();
    await this.load();
  }
  async drop(view: View) {
    if (await this.doing.run(() => dropView(view), view.name)) await this.load();
  }
}

// Role: what the form of a new experiment lets one choose from, as the server lists it, and the
// address by which what it made is taken away again.

import {get, part} from '../../api/client.ts';
import type {Framework, Hardware, Project, Volume} from '../../api/shapes.ts';
import type {Capacity, Host, Plan} from '../../api/shapes_admin.ts';

/** What can be chosen from. */
export interface Choices {
  readonly frameworks: readonly Framework[];
  readonly plans: readonly string[];
  readonly gpus: number;
  readonly projects: readonly Project[];
  readonly hardware: readonly Hardware[];
  readonly volumes: readonly Volume[];
}

export async function loadChoices(): Promise<Choices> {
  const [frameworks, plans, capacity, projects, specs, volumes] = await Promise.all([
    get<{frameworks: Framework[]}>('/api/v1/frameworks'),
    get<{plans: Plan[]}>('/api/v1/plans'),
    get<Capacity>('/api/v1/capacity'),
    get<{projects: Project[]}>('/api/v1/projects'),
    get<{hwspecs: Hardware[]}>('/api/v1/hwspecs'),
    get<{volumes: Volume[]}>('/api/v1/volumes'),
  ]);
  return {
    frameworks: frameworks.frameworks,
    plans: plans.plans.map((p) => p.plan),
    gpus: capacity.gpus_all,
    projects: projects.projects,
    hardware: specs.hwspecs,
    volumes: volumes.volumes,
  };
}

const LOOKED_AT = 500;

/** MIG profiles that GPUs of the cluster have, of so many hosts as are looked at. */
export async function loadMigs(): Promise<readonly string[]> {
  const {hosts} = await get<{hosts: readonly Host[]}>(`/api/v1/hosts?limit=${LOOKED_AT}`);
  const all = hosts.flatMap((host) => host.gpus.map((gpu) => gpu.mig));
  return [...new Set(all)].filter(Boolean).sort();
}

/** The address of what was made: all of it, or the version that was added. */
export const undoOf = (list: string, made: {name: string; version: string}, known: boolean) =>
  `${list}/${part(made.name)}${known ? `/versions/${part(made.version)}` : ''}`;

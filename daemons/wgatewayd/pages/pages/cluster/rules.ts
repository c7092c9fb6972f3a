// Role: the map of the cluster: a host is a box, a GPU a cell, of a host without any each slot.
// What a cell is, by state, owner, use or health, and the largest start there is room for. Pure.

import type {Gpu, Host} from '../../api/shapes_admin.ts';
import type {Fields} from '../../base/query.ts';

export type CellState = 'free' | 'used' | 'aside' | 'broken' | 'silent';
export type By = 'state' | 'owner' | 'use' | 'health';

export interface Cell {
  readonly key: string;
  readonly host: string;
  /** Of a GPU its number; of a slot which one it is. */
  readonly at: number;
  readonly gpu: Gpu | null;
  readonly state: CellState;
  readonly jobs: readonly string[];
  readonly users: readonly string[];
  /** 0 to 1; null: not measured. */
  readonly use: number | null;
  readonly note: string;
}
export interface Box {
  readonly host: Host;
  readonly cells: readonly Cell[];
}
/** One entry of a legend: what it is called, and how it is drawn. */
export interface Tone {
  readonly name: string;
  readonly text: string;
  /** A custom property of the style sheet. */
  readonly colour: string;
  /** Parts of a hundred of that colour. */
  readonly strength: number;
  readonly cross?: boolean;
}

const HOT = 85;

function stateOf(host: Host, gpu: Gpu | null, held: boolean): CellState {
  if (host.state !== 'ok' || !host.connected) return 'silent';
  if (gpu && /stuck|lost|broken|fail/i.test(gpu.gpu_status)) return 'broken';
  if (held) return 'used';
  return host.closed || (gpu && gpu.gpu_status !== 'ok') ? 'aside' : 'free';
}

function gpuCell(host: Host, gpu: Gpu, userOf: ReadonlyMap<string, string>): Cell {
  return {
    key: `${host.host_name}:gpu${gpu.gpu_id}`,
    host: host.host_name,
    at: gpu.gpu_id,
    gpu,
    state: stateOf(host, gpu, gpu.jobids.length > 0),
    jobs: gpu.jobids,
    users: [...new Set(gpu.jobids.flatMap((id) => userOf.get(id) ?? []))],
    use: gpu.ut === null ? null : gpu.ut / 100,
    note: gpu.gpu_reason || (host.closed ? host.comments : ''),
  };
}

/** Whose a slot is, the server does not say. */
function slotCells(host: Host): Cell[] {
  const used = host.run ?? 0;
  return Array.from({length: host.max ?? 0}, (_, i) => ({
    key: `${host.host_name}:slot${i}`,
    host: host.host_name,
    at: i,
    gpu: null,
    state: stateOf(host, null, i < used),
    jobs: [],
    users: [],
    use: null,
    note: host.closed ? host.comments : '',
  }));
}

/** @cost O(GPUs and slots) */
export const boxesOf = (hosts: readonly Host[], userOf: ReadonlyMap<string, string>): Box[] =>
  hosts.map((host) => ({
    host,
    cells: host.gpus.length ? host.gpus.map((gpu) => gpuCell(host, gpu, userOf)) : slotCells(host),
  }));

const STATES: readonly (Tone & {readonly name: CellState})[] = [
  {name: 'used', text: 'In use', colour: '--accent', strength: 45},
  {name: 'free', text: 'Free', colour: '--line', strength: 100},
  {name: 'aside', text: 'Closed', colour: '--warn', strength: 30, cross: true},
  {name: 'broken', text: 'Broken', colour: '--bad', strength: 80, cross: true},
  {name: 'silent', text: 'Silent', colour: '--line2', strength: 60, cross: true},
];
const HEALTH: readonly Tone[] = [
  {name: 'good', text: 'Good', colour: '--ok', strength: 40},
  {name: 'hot', text: `Hot, ${HOT} °C or more`, colour: '--warn', strength: 70},
  {name: 'bad', text: 'Broken or set aside', colour: '--bad', strength: 80, cross: true},
  {name: 'unknown', text: 'Not measured', colour: '--line2', strength: 30},
];
const USE: readonly Tone[] = [0, 1, 2, 3, 4].map((step) => ({
  name: `use${step}`,
  text: `${step * 20} to ${step * 20 + 20} %`,
  colour: '--accent',
  strength: 8 + step * 20,
}));
const UNMEASURED: Tone = {name: 'unknown', text: 'Not measured', colour: '--line2', strength: 30};

function healthOf(cell: Cell): string {
  if (cell.state === 'broken' || (cell.gpu && cell.gpu.gpu_status !== 'ok')) return 'bad';
  if (cell.state === 'silent' || cell.gpu?.temp == null) return 'unknown';
  return cell.gpu.temp >= HOT ? 'hot' : 'good';
}

/** The name of the tone that a cell has. */
export function toneOf(cell: Cell, by: By): string {
  if (by === 'state') return cell.state;
  if (by === 'health') return healthOf(cell);
  if (by === 'owner') return cell.users[0] ?? (cell.state === 'used' ? '?' : cell.state);
  if (cell.use === null) return 'unknown';
  return `use${Math.min(4, Math.floor(cell.use * 5))}`;
}

/** The tones of a map, those that occur, each with how many cells have it. */
export function legendOf(
  boxes: readonly Box[],
  by: By,
  colourOf: (users: readonly string[]) => ReadonlyMap<string, string>,
): {readonly tone: Tone; readonly count: number}[] {
  const counts = new Map<string, number>();
  for (const {cells} of boxes) {
    for (const cell of cells) {
      const name = toneOf(cell, by);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return tonesOf(by, [...counts.keys()], colourOf)
    .filter((tone) => counts.has(tone.name))
    .map((tone) => ({tone, count: counts.get(tone.name) ?? 0}));
}

function tonesOf(
  by: By,
  names: readonly string[],
  colourOf: (users: readonly string[]) => ReadonlyMap<string, string>,
): readonly Tone[] {
  if (by === 'state') return STATES;
  if (by === 'health') return HEALTH;
  if (by === 'use') return [...USE, UNMEASURED];
  const known = new Set<string>(STATES.map((state) => state.name));
  const users = names.filter((name) => !known.has(name) && name !== '?').sort();
  const colours = colourOf(users);
  return [
    ...users.map((user) => ({
      name: user,
      text: user,
      colour: colours.get(user) ?? '--line2',
      strength: 60,
    })),
    {name: '?', text: 'Not visible to you', colour: '--line2', strength: 60},
    ...STATES,
  ];
}

/** What can start now: on one host, and spread. */
export function largestStart(boxes: readonly Box[]): {one: number; spread: number; gpus: boolean} {
  const gpus = boxes.some((box) => box.host.gpus.length > 0);
  const counted = gpus ? boxes.filter((box) => box.host.gpus.length > 0) : boxes;
  const free = counted.map(({cells}) => cells.filter((cell) => cell.state === 'free').length);
  return {one: Math.max(0, ...free), spread: free.reduce((a, b) => a + b, 0), gpus};
}

export interface Sums {
  readonly total: number;
  readonly healthy: number;
  readonly used: number;
}
/** Of GPUs where there are any, else of slots. */
export function sumsOf(boxes: readonly Box[]): Sums {
  const gpus = largestStart(boxes).gpus;
  const cells = boxes.flatMap((box) => box.cells).filter((cell) => !gpus || cell.gpu !== null);
  const count = (...states: CellState[]) =>
    cells.filter((cell) => states.includes(cell.state)).length;
  return {total: cells.length, healthy: count('used', 'free'), used: count('used')};
}

/** What the filter of the map knows. */
export const CELL_FIELDS: Fields<Cell> = {
  texts: {
    host: (cell) => cell.host,
    gpu: (cell) => cell.gpu?.gpu_model ?? '',
    state: (cell) => cell.state,
    user: (cell) => cell.users.join(' '),
    job: (cell) => cell.jobs.join(' '),
    reason: (cell) => cell.note,
  },
  numbers: {
    use: (cell) => (cell.use === null ? null : cell.use * 100),
    temp: (cell) => cell.gpu?.temp ?? null,
  },
  bare: (cell, word) => cell.host.toLowerCase().includes(word) || cell.jobs.includes(word),
};

/** A cell in words. */
export function cellWords(cell: Cell): string {
  const state = STATES.find((one) => one.name === cell.state)?.text ?? cell.state;
  const parts = [
    `${cell.host} ${cell.gpu ? `GPU ${cell.at}` : `slot ${cell.at + 1}`}`,
    state.toLowerCase(),
    cell.users.length ? `by ${cell.users.join(', ')}` : '',
    cell.use === null || cell.state !== 'used' ? '' : `${Math.round(cell.use * 100)} % busy`,
    cell.gpu?.temp == null ? '' : `${cell.gpu.temp} °C`,
    cell.note,
  ];
  return parts.filter(Boolean).join(', ');
}

// Role: numbers, times and states as people read them. Pure.

export const DASH = '–';

/** 5s, 6m 15s, 1h 02m, 3d 04h. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return DASH;
  const s = Math.max(0, Math.floor(seconds)), two = (n) => String(n).padStart(2, '0');
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${two(s % 60)}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h ${two(Math.floor(s / 60) % 60)}m`;
  return `${Math.floor(s / 86400)}d ${two(Math.floor(s / 3600) % 24)}h`;
}

/** 10:43:13 today, else 23 Nov 10:43. @param now seconds, the server's */
export function clock(seconds, now) {
  if (!seconds) return DASH;
  const date = new Date(seconds * 1000), today = new Date((now || seconds) * 1000);
  const hm = date.toTimeString();
  if (date.toDateString() === today.toDateString()) return hm.slice(0, 8);
  return `${date.getDate()} ${date.toLocaleString('en', {month: 'short'})} ${hm.slice(0, 5)}`;
}

/** 18,760; 12.3; .9868: what is measured has three or four digits that count, never more. */
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
  const shown = Number(value.toPrecision(Math.abs(value) < 1 ? 4 : 3));
  return Math.abs(shown) < 1e-4 ? shown.toExponential(1).replace('e-', '·10⁻').replace(/⁻(\d+)$/, (_, d) => `⁻${raised(d)}`) : String(shown);
}
const raised = (digits) => [...digits].map((d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join('');

/** 8 GiB. */
export function bytes(value) {
  if (!value) return DASH;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return `${number(Math.round(value * 10) / 10)} ${units[unit]}`;
}

const STATES = {
  pending: ['Pending', 'wait', ''], held: ['Held', 'hold', ''], launching: ['Launching', 'half', 'run'],
  running: ['Running', 'run', 'run'], suspended: ['Suspended', 'hold', ''], unknown: ['Unknown', 'what', 'warn'],
  finished: ['Finished', 'ok', ''], failed: ['Failed', 'bad', 'bad'], killed: ['Killed', 'stop', ''],
  error: ['Error', 'bad', 'bad'], array: ['Array', 'run', 'run'], submitted: ['Submitted', 'wait', ''], stopped: ['Stopped', 'stop', ''],
};
const ALIVE = new Set(['launching', 'running', 'suspended', 'unknown', 'array']);
const WAITING = new Set(['pending', 'held']);

/** {word, icon, kind} of one of our states; a word that is not known is shown as it came. */
export function state(word) {
  const [text, drawing, kind] = STATES[word] || [String(word), 'what', ''];
  return {word: text, icon: drawing, kind};
}
export const isAlive = (word) => ALIVE.has(word);
export const isWaiting = (word) => WAITING.has(word);
export const isOver = (word) => !isAlive(word) && !isWaiting(word);

/** "2 of 1–4": has 2, may have 1 to 4; "4". */
export function slots(job) {
  const {nalloc_slot: has, min_req_proc: least, max_req_proc: most} = job;
  return {has, range: least === most ? (has === most ? '' : `of ${most}`) : `of ${least}–${most}`};
}

/** "4 → 2". */
export const step = (from, to) => `${from} → ${to}`;

/** A table cell that a spreadsheet takes for text, not for a formula. */
export function csvCell(value) {
  let text = String(value ?? '');
  if (typeof value !== 'number' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Does a job fit the words of the filter: name and id, user: plan: state: queue:, -negated? */
export function fitsFilter(job, text) {
  return text.trim().toLowerCase().split(/\s+/).filter(Boolean).every((word) => {
    const negated = word.startsWith('-'), bare = negated ? word.slice(1) : word;
    return fitsWord(job, bare) !== negated;
  });
}

const FIELDS = {user: 'user', plan: 'plan', state: 'wm_state', queue: 'queue', type: 'app_type', app: 'application'};

function fitsWord(job, word) {
  const [name, value] = word.split(/:(.*)/);
  const has = (field) => String(job[field] ?? '').toLowerCase().includes(value);
  if (value !== undefined && FIELDS[name]) return has(FIELDS[name]);
  return String(job.job_name ?? '').toLowerCase().includes(word) || job.jobid === word;
}

// Role: the one table. It knows columns and a source: how many rows there are, and those of a
// window. Short tables are drawn whole, their rows as high as they must be; long ones draw what is
// in sight.

import type {Signal} from '@preact/signals';
import type {ComponentChildren, TargetedKeyboardEvent} from 'preact';
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {type Seen, seen, spaceOf} from './window.ts';

export interface Column<R> {
  readonly key: string;
  readonly text: string;
  readonly cell: (row: R) => ComponentChildren;
  /** Of a CSS grid; without: as wide as what is in it. */
  readonly width?: string;
  /** What the source orders by; without: by nothing. */
  readonly sort?: string;
  readonly numeric?: boolean;
  /** Of the cell, for cards. */
  readonly class?: string;
  readonly pre?: (row: R) => string;
}
export interface Source<R> {
  readonly total: number;
  /** The place of the first of `rows`. */
  readonly from: number;
  readonly rows: readonly R[];
  /** Asks for a window; without: `rows` are all. */
  readonly want?: (seen: Seen) => void;
}
interface TableProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly source: Source<R>;
  readonly rowKey: (row: R) => string;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** A class of both the table and its rows. */
  readonly kind?: string;
  readonly empty?: ComponentChildren;
  readonly chosen?: Signal<ReadonlySet<string>>;
  /** Pixels of a row where only some are drawn: in the table, as a card. */
  readonly heights?: readonly [number, number];
}

const WHOLE = 100;
const NARROW = '(max-width: 820px)';

/** All rows at hand. */
export const memory = <R,>(rows: readonly R[]): Source<R> => ({total: rows.length, from: 0, rows});

/** Up, down, as it came. */
export function nextSort(sort: string, key: string): string {
  if (sort === key) return `-${key}`;
  return sort === `-${key}` ? '' : key;
}

function Head<R>({columns, sort = '', onSort}: Pick<TableProps<R>, 'columns' | 'sort' | 'onSort'>) {
  return (
    <div class="row hd" role="row">
      {columns.map(({key, text, sort: by, numeric}) => {
        const up = by !== undefined && sort === by;
        const down = by !== undefined && sort === `-${by}`;
        const order = up ? 'ascending' : down ? 'descending' : undefined;
        return (
          <span key={key} role="columnheader" class={numeric ? 'num' : ''} aria-sort={order}>
            {by !== undefined && onSort ? (
              <button type="button" onClick={() => onSort(nextSort(sort, by))}>
                {text}
                {up ? ' ↑' : down ? ' ↓' : ''}
              </button>
            ) : (
              text
            )}
          </span>
        );
      })}
    </div>
  );
}

/** How high rows are, which follows the width of the window. */
function useHeight([wide, card]: readonly [number, number]): number {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const heard = () => setNarrow(query.matches);
    query.addEventListener('change', heard);
    return () => query.removeEventListener('change', heard);
  }, []);
  return narrow ? card : wide;
}

/** What is in sight of an element that scrolls with the page. */
function useSeen(total: number, height: number, partly: boolean) {
  const body = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<Seen>({from: 0, to: Math.min(total, 64)});
  useLayoutEffect(() => {
    if (!partly) return;
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const next = seen(-top, innerHeight, total, height);
      setRange((old) => (old.from === next.from && old.to === next.to ? old : next));
    };
    measure();
    addEventListener('scroll', measure, {passive: true});
    addEventListener('resize', measure);
    const moved = new ResizeObserver(measure); // what is above it has another height
    moved.observe(document.body);
    return () => {
      moved.disconnect();
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [total, height, partly]);
  return {body, range};
}

/** Arrows and j, k walk over the rows' links; x chooses. */
function onKey(event: TargetedKeyboardEvent<HTMLDivElement>) {
  const down = event.key === 'ArrowDown' || event.key === 'j';
  const up = event.key === 'ArrowUp' || event.key === 'k';
  const row = event.target instanceof Element ? event.target.closest('[role=row]') : null;
  if (!row || event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
  if (event.key === 'x') row.querySelector<HTMLInputElement>('input[type=checkbox]')?.click();
  if (!down && !up) return;
  const next = down ? row.nextElementSibling : row.previousElementSibling;
  const link = next?.querySelector<HTMLElement>('a, button');
  if (!link) return;
  event.preventDefault();
  link.focus();
}

interface RowProps<R> {
  readonly row: R;
  readonly index: number;
  readonly columns: readonly Column<R>[];
  readonly height: number | null;
}
function Row<R>({row, index, columns, height}: RowProps<R>) {
  return (
    <div
      class="row"
      role="row"
      aria-rowindex={index + 2}
      style={height === null ? {} : {height: `${height}px`}}
    >
      {columns.map((column) => (
        <span
          key={column.key}
          role="cell"
          data-label={column.text}
          data-pre={column.pre?.(row)}
          class={`${column.numeric ? 'num ' : ''}${column.class ?? ''}`}
        >
          {column.cell(row)}
        </span>
      ))}
    </div>
  );
}

export function Table<R>(props: TableProps<R>) {
  const {label, columns, source, rowKey, kind = 'list', heights = [40, 112]} = props;
  const height = useHeight(heights);
  const partly = source.want !== undefined || source.total > WHOLE;
  const {body, range} = useSeen(source.total, height, partly);
  useEffect(() => source.want?.(range), [range]);
  const shown = partly && !source.want ? source.rows.slice(range.from, range.to) : source.rows;
  const first = partly && !source.want ? range.from : source.from;
  const above = partly ? (spaceOf(source.total, height) * first) / Math.max(1, source.total) : 0;
  const all = partly ? spaceOf(source.total, height) : 0;
  const below = Math.max(0, all - above - shown.length * height);
  const template = columns.map((column) => column.width ?? 'auto').join(' ');
  if (source.total === 0 && props.empty) return <div class="empty">{props.empty}</div>;
  return (
    <div
      class={`tbl ${kind}`}
      role="table"
      aria-label={label}
      aria-rowcount={source.total + 1}
      style={{'--columns': template}}
    >
      <div class="heads" role="rowgroup">
        <Head
          columns={columns}
          {...(props.onSort ? {sort: props.sort ?? '', onSort: props.onSort} : {})}
        />
      </div>
      <div class="rows" role="rowgroup" ref={body} onKeyDown={onKey}>
        {partly && <div class="space" role="presentation" style={{height: `${above}px`}} />}
        {shown.map((row, i) => (
          <Row
            key={partly ? (first + i) % 256 : rowKey(row)}
            row={row}
            index={first + i}
            columns={columns}
            height={partly ? height : null}
          />
        ))}
        {partly && <div class="space" role="presentation" style={{height: `${below}px`}} />}
      </div>
    </div>
  );
}

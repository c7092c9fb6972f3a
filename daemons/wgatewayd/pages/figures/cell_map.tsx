// Role: a map of boxes of cells, drawn on a canvas however many there are. The pointer and the
// arrow keys choose a cell, Enter opens it; which one it is, who uses the map says in words.

import type {Signal} from '@preact/signals';
import {useSignal} from '@preact/signals';
import {useEffect, useMemo, useRef} from 'preact/hooks';
import {corner, type Grid, gridOf, type Look, paint, type Place, placeAt, walked} from './cells.ts';

interface CellMapProps {
  readonly label: string;
  readonly names: readonly string[];
  /** Cells of each box. */
  readonly counts: readonly number[];
  readonly look: (place: Place, token: (property: string) => string) => Look;
  readonly chosen: Signal<Place | null>;
  readonly onOpen: (place: Place) => void;
}

/** Counted up when the colours of the system change. */
function useScheme() {
  const turns = useSignal(0);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const heard = () => {
      turns.value++;
    };
    query.addEventListener('change', heard);
    return () => query.removeEventListener('change', heard);
  }, []);
  return turns.value;
}

function useWidth(element: {readonly current: HTMLElement | null}) {
  const width = useSignal(0);
  useEffect(() => {
    if (!element.current) return;
    const watch = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0);
    });
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  return width.value;
}

/** Around the chosen cell: what is drawn beneath stays as it is. */
function Ring({grid, chosen}: {grid: Grid; chosen: Signal<Place | null>}) {
  const at = chosen.value && corner(grid, chosen.value);
  if (!at) return null;
  const size = `${grid.side + 4}px`;
  const transform = `translate(${at[0]}px,${at[1]}px)`;
  return <i class="ring" style={{width: size, height: size, transform}} />;
}

export function CellMap(props: CellMapProps) {
  const {names, counts, chosen} = props;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const scheme = useScheme();
  const grid = useMemo(() => gridOf(counts, width), [counts, width]);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!canvas.current || !context || width === 0) return;
    const style = getComputedStyle(document.documentElement);
    const token = (property: string) => style.getPropertyValue(property).trim();
    const ratio = devicePixelRatio;
    canvas.current.width = grid.width * ratio;
    canvas.current.height = (grid.height + 4) * ratio;
    context.scale(ratio, ratio);
    context.translate(2, 2);
    const family = getComputedStyle(document.body).fontFamily;
    paint(context, {
      grid,
      names,
      look: (place) => props.look(place, token),
      text: token('--text2'),
      font: `12px ${family}`,
    });
  }, [grid, names, props.look, scheme]);
  const at = (event: MouseEvent) => placeAt(grid, event.offsetX - 2, event.offsetY - 2);
  const onKey = (event: KeyboardEvent) => {
    const from = chosen.value ?? {box: 0, cell: 0};
    if (!/^(Arrow|Home|End)/.test(event.key)) return;
    event.preventDefault();
    chosen.value = chosen.value ? walked(grid, from, event.key) : from;
  };
  const open = () => chosen.value && props.onOpen(chosen.value);
  return (
    <div class="cellmap" ref={box}>
      <button
        type="button"
        aria-label={`${props.label}. Arrow keys walk over its cells, Enter opens the host.`}
        onKeyDown={onKey}
        onPointerMove={(event) => {
          const found = at(event);
          if (found) chosen.value = found;
        }}
        onClick={open}
      >
        <Ring grid={grid} chosen={chosen} />
        <canvas ref={canvas} style={{width: `${grid.width}px`, height: `${grid.height + 4}px`}} />
      </button>
    </div>
  );
}

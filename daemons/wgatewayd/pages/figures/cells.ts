// Role: where boxes of cells stand on a canvas, which cell is at a place, and the next one in a
// direction. Pure but for paint().

export interface Grid {
  readonly width: number;
  readonly height: number;
  /** Side of a cell, and how far apart cells begin. */
  readonly side: number;
  readonly step: number;
  /** Pixels of the name above a box's cells; 0: none is drawn. */
  readonly label: number;
  readonly boxes: readonly {readonly x: number; readonly y: number; readonly cells: number}[];
  readonly boxWidth: number;
  readonly perRow: number;
  readonly across: number;
}

const ACROSS = 8;
const LARGE = {side: 17, step: 19, label: 18, gap: 14};
const SMALL = {side: 8, step: 9, label: 0, gap: 8};
const MOST_LABELLED = 400;

/** @param counts cells of each box @cost O(boxes) */
export function gridOf(counts: readonly number[], width: number): Grid {
  const {side, step, label, gap} = counts.length > MOST_LABELLED ? SMALL : LARGE;
  const boxWidth = ACROSS * step - (step - side);
  const perRow = Math.max(1, Math.floor((width + gap) / (boxWidth + gap)));
  const boxes: {x: number; y: number; cells: number}[] = [];
  let top = 0;
  for (let first = 0; first < counts.length; first += perRow) {
    const row = counts.slice(first, first + perRow);
    const lines = Math.max(1, ...row.map((cells) => Math.ceil(cells / ACROSS)));
    row.forEach((cells, i) => {
      boxes.push({x: i * (boxWidth + gap), y: top, cells});
    });
    top += label + lines * step + gap;
  }
  const height = Math.max(0, top - gap);
  return {width, height, side, step, label, boxes, boxWidth, perRow, across: ACROSS};
}

/** A cell by its box and its place in it. */
export interface Place {
  readonly box: number;
  readonly cell: number;
}

/** null: no cell is there. @cost O(boxes) */
export function placeAt(grid: Grid, x: number, y: number): Place | null {
  const box = grid.boxes.findIndex(
    (b) =>
      x >= b.x &&
      x < b.x + grid.boxWidth &&
      y >= b.y + grid.label &&
      y < b.y + grid.label + Math.ceil(b.cells / grid.across) * grid.step,
  );
  const found = grid.boxes[box];
  if (!found) return null;
  const column = Math.floor((x - found.x) / grid.step);
  const row = Math.floor((y - found.y - grid.label) / grid.step);
  const cell = row * grid.across + column;
  return column < grid.across && cell < found.cells ? {box, cell} : null;
}

/** Where an arrow leads: within a box, then to the next; it stays where there is none. */
export function walked(grid: Grid, from: Place, key: string): Place {
  const cells = (box: number) => grid.boxes[box]?.cells ?? 0;
  const into = (box: number, cell: number): Place =>
    cells(box) > 0 ? {box, cell: Math.max(0, Math.min(cell, cells(box) - 1))} : from;
  const {box, cell} = from;
  if (key === 'ArrowRight') return cell + 1 < cells(box) ? {box, cell: cell + 1} : into(box + 1, 0);
  if (key === 'ArrowLeft') return cell > 0 ? {box, cell: cell - 1} : into(box - 1, Infinity);
  if (key === 'ArrowDown') {
    const below = cell + grid.across;
    return below < cells(box) ? {box, cell: below} : into(box + grid.perRow, cell % grid.across);
  }
  if (key === 'ArrowUp') {
    if (cell >= grid.across) return {box, cell: cell - grid.across};
    return into(box - grid.perRow, cell);
  }
  if (key === 'Home') return into(0, 0);
  return key === 'End' ? into(grid.boxes.length - 1, Infinity) : from;
}

/** How a cell is drawn. */
export interface Look {
  readonly colour: string;
  readonly cross: boolean;
  readonly faint: boolean;
}
export interface Painted {
  readonly grid: Grid;
  readonly names: readonly string[];
  readonly look: (place: Place) => Look;
  /** Of names, and of crosses. */
  readonly text: string;
  readonly font: string;
}

/** Where a cell begins, from the left and from above; null: there is no such cell. */
export function corner(grid: Grid, {box, cell}: Place): [number, number] | null {
  const at = grid.boxes[box];
  if (!at) return null;
  const x = at.x + (cell % grid.across) * grid.step;
  return [x, at.y + grid.label + Math.floor(cell / grid.across) * grid.step];
}

/** @cost O(cells) */
export function paint(context: CanvasRenderingContext2D, painted: Painted) {
  const {grid} = painted;
  context.clearRect(0, 0, grid.width, grid.height + 4);
  context.font = painted.font;
  context.textBaseline = 'top';
  grid.boxes.forEach((at, box) => {
    if (grid.label > 0) {
      context.fillStyle = painted.text;
      context.fillText(painted.names[box] ?? '', at.x, at.y, grid.boxWidth);
    }
    for (let cell = 0; cell < at.cells; ++cell) paintCell(context, painted, {box, cell});
  });
}

function paintCell(context: CanvasRenderingContext2D, {grid, look, text}: Painted, place: Place) {
  const at = corner(grid, place);
  if (!at) return;
  const {colour, cross, faint} = look(place);
  context.globalAlpha = faint ? 0.15 : 1;
  context.fillStyle = colour;
  context.fillRect(at[0], at[1], grid.side, grid.side);
  if (cross) {
    const [x, y] = [at[0] + 0.5, at[1] + 0.5];
    const end = grid.side - 1;
    context.strokeStyle = text;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, y + end);
    context.lineTo(x + end, y);
    context.stroke();
  }
  context.globalAlpha = 1;
}

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {corner, gridOf, type Painted, paint, placeAt, walked} from './cells.ts';
import {mixed} from './colours.ts';

const grid = gridOf([8, 3, 16], 340); // two boxes in a row

test('boxes stand beside each other as far as there is room, rows as high as their highest', () => {
  assert.equal(grid.perRow, 2);
  assert.deepEqual(
    grid.boxes.map(({x, y}) => [x > 0, y > 0]),
    [
      [false, false],
      [true, false],
      [false, true],
    ],
  );
  const tall = gridOf([16, 1, 1], 340);
  assert.ok((tall.boxes[2]?.y ?? 0) > (grid.boxes[2]?.y ?? 0), 'two lines of cells above it');
});

test('no boxes, a narrow place and very many boxes are drawn all the same', () => {
  assert.deepEqual([gridOf([], 300).boxes, gridOf([], 300).height], [[], 0]);
  assert.equal(gridOf([8, 8], 10).perRow, 1);
  const many = gridOf(new Array<number>(10_000).fill(8), 1200);
  assert.equal(many.label, 0, 'without names');
  assert.ok(many.height < 30_000);
});

test('a cell is found where it is drawn, and nothing between cells of no box', () => {
  const second = grid.boxes[1];
  assert.ok(second);
  const y = second.y + grid.label + 1;
  assert.deepEqual(placeAt(grid, second.x + 1, y), {box: 1, cell: 0});
  assert.deepEqual(placeAt(grid, second.x + 2 * grid.step + 1, y), {box: 1, cell: 2});
  assert.equal(placeAt(grid, second.x + 3 * grid.step + 1, y), null, 'it has three');
  assert.equal(placeAt(grid, 5, 2), null, 'a name is no cell');
  assert.equal(placeAt(grid, -1, -1), null);
  const at = corner(grid, {box: 2, cell: 9});
  assert.ok(at);
  assert.deepEqual(placeAt(grid, at[0], at[1]), {box: 2, cell: 9}, 'there and back');
  assert.equal(corner(grid, {box: 3, cell: 0}), null);
});

test('arrows walk within a box, to the next one, and stay at the ends', () => {
  const go = (box: number, cell: number, key: string) => {
    const to = walked(grid, {box, cell}, key);
    return [to.box, to.cell];
  };
  assert.deepEqual(go(0, 0, 'ArrowRight'), [0, 1]);
  assert.deepEqual(go(0, 7, 'ArrowRight'), [1, 0]);
  assert.deepEqual(go(1, 0, 'ArrowLeft'), [0, 7]);
  assert.deepEqual(go(0, 0, 'ArrowLeft'), [0, 0]);
  assert.deepEqual(go(2, 15, 'ArrowRight'), [2, 15]);
  assert.deepEqual(go(2, 3, 'ArrowDown'), [2, 11]);
  assert.deepEqual(go(0, 3, 'ArrowDown'), [2, 3], 'the box beneath');
  assert.deepEqual(go(2, 11, 'ArrowUp'), [2, 3]);
  assert.deepEqual(go(2, 3, 'ArrowUp'), [0, 3]);
  assert.deepEqual(go(2, 5, 'Home'), [0, 0]);
  assert.deepEqual(go(0, 0, 'End'), [2, 15]);
  assert.deepEqual(go(1, 1, 'x'), [1, 1]);
});

test('each cell is filled once, those that are out of use crossed', () => {
  const drawn = {fills: 0, texts: [] as string[], lines: 0, faint: 0};
  const context = new Proxy({} as Record<string, unknown>, {
    get: (_, name) => {
      if (name === 'fillRect') return () => drawn.fills++;
      if (name === 'fillText') return (text: string) => drawn.texts.push(text);
      if (name === 'lineTo') return () => drawn.lines++;
      return () => {};
    },
    set: (_, name, value) => {
      if (name === 'globalAlpha' && value < 1) drawn.faint++;
      return true;
    },
  });
  const painted: Painted = {
    grid,
    names: ['a', 'b', 'c'],
    look: ({box, cell}) => ({colour: '#000', cross: box === 1, faint: cell === 0}),
    text: '#000',
    font: '12px x',
  };
  paint(context as unknown as CanvasRenderingContext2D, painted);
  assert.deepEqual(drawn, {fills: 27, texts: ['a', 'b', 'c'], lines: 3, faint: 3});
});

test('a colour is mixed into its ground by parts of a hundred', () => {
  assert.equal(mixed('#ffffff', '#000000', 50), '#808080');
  assert.equal(mixed('#f00', '#000', 100), '#ff0000');
  assert.equal(mixed(' #123456 ', '#abcdef', 0), '#abcdef');
});

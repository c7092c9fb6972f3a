// Role: what is shown as a file.

import {csv} from '../base/text.ts';

/** Has the browser save something as a file. */
export function saveAs(name: string, content: Blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Rows as NAME.csv. */
export const saveRows = (name: string, rows: readonly (readonly unknown[])[]) =>
  saveAs(`${name}.csv`, new Blob([csv(rows)], {type: 'text/csv'}));

/** A canvas as NAME.png, on the ground of the page. */
export function savePicture(name: string, canvas: HTMLCanvasElement, ground: string) {
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext('2d');
  if (!context) return;
  context.fillStyle = ground;
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => blob && saveAs(`${name}.png`, blob));
}

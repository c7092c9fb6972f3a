// Role: asking a service from its page: what is sent, what came back and how long that took. A
// picture becomes what the model's signature says: [channels, height, width], 0 to 1, bright on
// dark.

import {signal} from '@preact/signals';
import {ask, JSON_BODY, part} from '../../api/client.ts';
import type {Signature} from '../../api/shapes_more.ts';
import {clean} from '../../base/text.ts';
import {Doing} from '../../state/doing.ts';
import {errorIn, framed, type Grid, request, type Shape} from './sample.ts';

export type Mode = 'draw' | 'upload' | 'json';
export interface Answer {
  readonly ms: number;
  readonly said: string;
  /** null: it is no JSON. */
  readonly value: unknown;
}

const LARGEST = 512;

function shapeOf(signature: Signature | null): Shape | null {
  const [channels, height, width, ...more] = signature?.input_shape ?? [];
  if (channels === undefined || height === undefined || width === undefined) return null;
  return more.length ? null : [channels, height, width];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a kernel may answer anything
  }
}

/**
 * Brightnesses of a canvas; what is drawn on nothing is bright, a photo of dark on light is
 * turned.
 */
export function pixelsOf(canvas: HTMLCanvasElement, isPhoto: boolean): Grid {
  const image = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
  if (!image) return [[0]];
  const {data, width, height} = image;
  const bright = (i: number) => {
    const [r = 0, g = 0, b = 0, a = 0] = data.slice(i, i + 4);
    return isPhoto ? (0.299 * r + 0.587 * g + 0.114 * b) / 255 : a / 255;
  };
  const rows = Array.from({length: height}, (_, y) =>
    Array.from({length: width}, (__, x) => bright(4 * (y * width + x))),
  );
  const sides = rows.flatMap((row) => [row[0] ?? 0, row[row.length - 1] ?? 0]);
  const edge = [...(rows[0] ?? []), ...(rows[height - 1] ?? []), ...sides];
  const onWhite = isPhoto && edge.reduce((a, b) => a + b, 0) / edge.length > 0.5;
  return onWhite ? rows.map((row) => row.map((v) => 1 - v)) : rows;
}

export class VerifyModel {
  readonly shape: Shape | null;
  readonly mode;
  readonly body;
  readonly answer = signal<Answer | null>(null);
  readonly asked = signal(0);
  readonly doing = new Doing();

  constructor(
    private readonly name: string,
    signature: Signature | null,
  ) {
    this.shape = shapeOf(signature);
    this.mode = signal<Mode>(this.shape ? 'draw' : 'json');
    const example = this.shape
      ? JSON.stringify(request([[0]], this.shape))
      : '{"instances": [[0]]}';
    this.body = signal(example);
  }

  async upload(file: File | undefined) {
    if (!file || !this.shape) return;
    const shape = this.shape;
    let text = '';
    const read = await this.doing.run(async () => {
      const picture = await createImageBitmap(file);
      const canvas = document.createElement('canvas');
      canvas.width = Math.min(picture.width, LARGEST);
      canvas.height = Math.min(picture.height, LARGEST);
      canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
      text = JSON.stringify(request(pixelsOf(canvas, true), shape));
    }, 'the picture cannot be read');
    if (read) await this.send(text);
  }
  async sendDrawn(pad: HTMLCanvasElement | null) {
    if (!pad || !this.shape) return;
    const margin = this.shape[1] >= 16 ? 4 / 28 : 0;
    await this.send(JSON.stringify(request(framed(pixelsOf(pad, false), margin), this.shape)));
  }
  async send(text: string) {
    this.body.value = text;
    this.answer.value = null;
    const begun = performance.now();
    await this.doing.run(async () => {
      const path = `/dlim/v1/inference/${part(this.name)}`;
      const answer = await ask('POST', path, {body: text, headers: JSON_BODY});
      const said = await answer.text();
      const value = parsed(said);
      this.answer.value = {ms: performance.now() - begun, said, value};
      this.asked.value++;
      if (errorIn(value)) throw new Error(clean(errorIn(value)));
    });
  }
}

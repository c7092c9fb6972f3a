// Role: asking a service from its page: a drawn sample, an uploaded picture, or JSON; the answer with its time.
// A picture becomes what the model's signature says: [channels, height, width], 0 to 1, bright on dark.

import {ask} from './api.js';
import {draw} from './app.js';
import {clean, h, outside, saveAs} from './dom.js';
import {number} from './format.js';
import {framed, ranking, request} from './sample.js';

const SIDE = 280;

export class Verify {
  constructor(name, signature) {
    Object.assign(this, {name, signature});
    this.shape = signature?.input_shape?.length === 3 ? signature.input_shape : null;
    this.mode = this.shape ? 'draw' : 'json';
    this.body = this.shape ? JSON.stringify(request([[0]], this.shape)) : '{"instances": [[0]]}';
  }
  answer = null;
  problem = '';
  busy = false;
  asked = 0;
  inked = false;

  get pad() {
    return document.getElementById('pad');
  }
  clear() {
    const context = this.pad?.getContext('2d');
    context?.clearRect(0, 0, SIDE, SIDE);
    this.inked = false;
    this.answer = null;
    draw();
  }
  pen(event) {
    if (!(event.buttons & 1)) return;
    const box = this.pad.getBoundingClientRect(), scale = SIDE / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const context = this.pad.getContext('2d');
    Object.assign(context, {lineWidth: SIDE / 10, lineCap: 'round', lineJoin: 'round', strokeStyle: '#ffffff'});
    context.beginPath();
    context.moveTo(...(event.type === 'pointerdown' ? [x, y] : this.last ?? [x, y]));
    context.lineTo(x + 0.01, y);
    context.stroke();
    this.last = [x, y];
    this.inked = true;
  }
  /** Brightnesses of a canvas; what is drawn on nothing is bright. */
  pixels(canvas, isPhoto) {
    const {data, width, height} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const bright = (i) => (isPhoto ? (0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2]) / 255 : data[i + 3] / 255);
    const rows = Array.from({length: height}, (_, y) => Array.from({length: width}, (_, x) => bright(4 * (y * width + x))));
    const edge = [...rows[0], ...rows.at(-1), ...rows.map((r) => r[0]), ...rows.map((r) => r.at(-1))];
    const onWhite = isPhoto && edge.reduce((a, b) => a + b, 0) / edge.length > 0.5;
    return onWhite ? rows.map((r) => r.map((v) => 1 - v)) : rows;
  }
  async upload(file) {
    if (!file) return;
    try {
      const picture = await createImageBitmap(file);
      const canvas = Object.assign(document.createElement('canvas'), {width: Math.min(picture.width, 512), height: Math.min(picture.height, 512)});
      canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
      await this.send(JSON.stringify(request(this.pixels(canvas, true), this.shape)));
    } catch (problem) {
      this.problem = `the picture cannot be read: ${problem.message}`;
      draw();
    }
  }
  sendDrawn() {
    const margin = this.shape[1] >= 16 ? 4 / 28 : 0;
    return this.send(JSON.stringify(request(framed(this.pixels(this.pad, false), margin), this.shape)));
  }
  async send(text) {
    this.busy = true;
    this.problem = '';
    this.body = text;
    draw();
    const begun = performance.now();
    try {
      const answer = await ask('POST', `/dlim/v1/inference/${encodeURIComponent(this.name)}`, {body: text, headers: {'Content-Type': 'application/json'}});
      const said = await answer.text();
      let value = null;
      try {
        value = JSON.parse(said);
      } catch { /* a kernel may answer anything */ }
      this.answer = {ms: performance.now() - begun, said, value};
      ++this.asked;
      if (value?.error) this.problem = clean(value.error);
    } catch (problem) {
      this.answer = null;
      this.problem = problem.message;
    }
    this.busy = false;
    draw();
  }

  drawing() {
    const pen = (event) => this.pen(event);
    return h('div', {class: 'padbox'},
      h('canvas', {id: 'pad', width: SIDE, height: SIDE, tabindex: '0', role: 'img', 'aria-label': 'Draw a sample here with the pointer', onPointerdown: (event) => { event.target.setPointerCapture(event.pointerId); pen(event); }, onPointermove: pen}),
      h('div', {class: 'foot2 start'}, h('button', {class: 'btn pri', id: 'send-drawn', disabled: this.busy, onClick: () => this.sendDrawn()}, 'Ask'), h('button', {class: 'btn', onClick: () => this.clear()}, 'Clear')));
  }
  uploading() {
    return h('div', {class: 'field'}, h('span', {id: 'l-sample'}, 'A picture'), h('input', {type: 'file', name: 'sample', accept: 'image/*', 'aria-labelledby': 'l-sample', onChange: (event) => this.upload(event.target.files[0])}),
      h('small', null, `It becomes ${this.shape.join(' × ')} values from 0 to 1, bright on dark.`));
  }
  json() {
    return h('div', null, h('label', {class: 'field'}, h('span', null, 'The request’s body'),
      h('textarea', {name: 'body', rows: 6, class: 'mono', value: this.body, onInput: (event) => { this.body = event.target.value; }})),
    h('div', {class: 'foot2 start'}, h('button', {class: 'btn pri', id: 'send-json', disabled: this.busy, onClick: () => this.send(this.body)}, 'Ask')));
  }
  told() {
    if (this.problem) return h('p', {class: 'err', role: 'alert'}, this.problem);
    if (!this.answer) return h('p', {class: 'm'}, this.busy ? 'Asked, waiting …' : 'The answer will be here.');
    const ranked = ranking(this.answer.value);
    return h('div', {role: 'status', 'data-asked': this.asked}, ranked && [h('p', {class: 'verdict', id: 'verdict'}, outside(ranked[0][0], 40)),
      ranked.slice(0, 5).map(([label, p]) => h('div', {class: 'prob', key: label}, h('span', null, outside(label, 20)), h('i', {style: {'--w': `${Math.round(p * 100)}%`}}), h('span', {class: 'num'}, `${(p * 100).toFixed(1)} %`)))],
    h('p', {class: 's m'}, `answered in ${number(Math.round(this.answer.ms))} ms, as this browser sees it`),
    h('details', {open: !ranked}, h('summary', null, 'The answer as it came'), h('pre', {class: 'cmd', id: 'answer'}, clean(this.answer.said, 4000))));
  }
  shell(uri) {
    const brief = this.body.length <= 60 && !this.body.includes("'"), from = brief ? `'${clean(this.body)}'` : '@sample.json';
    const save = () => saveAs('sample.json', this.body, 'application/json');
    return h('div', {class: 'pb'}, h('p', {class: 's m'}, 'The same from a shell', !brief && [', with ', h('button', {class: 'link s', id: 'save-sample', onClick: save}, 'sample.json')]),
      h('pre', {class: 'cmd'}, `curl -H "Authorization: Bearer $(dlim config -s)" -d ${from} ${uri}`));
  }
  view(uri) {
    const choose = (mode, text) => h('button', {'aria-pressed': String(this.mode === mode), 'data-mode': mode, onClick: () => { this.mode = mode; draw(); }}, text);
    const how = {draw: () => this.drawing(), upload: () => this.uploading(), json: () => this.json()}[this.mode]();
    return h('section', {class: 'panel', 'aria-labelledby': 'h-v'}, h('div', {class: 'ph'}, h('h2', {id: 'h-v'}, 'Test'), h('span', {class: 'sp'}),
      h('span', {class: 'seg', role: 'group', 'aria-label': 'How to ask'}, this.shape && [choose('draw', 'Draw'), choose('upload', 'Upload')], choose('json', 'JSON'))),
    h('div', {class: 'pb verify'}, h('div', {key: this.mode}, how), h('div', {key: 'told'}, this.told())),
    this.shell(uri));
  }
}

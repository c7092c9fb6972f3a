// Role: the Frameworks page: what executions can be started with, what the default runtime includes,
// which volumes and hardware specifications there are.

import {get} from './api.js';
import {h, outside} from './dom.js';
import {DASH, number} from './format.js';

const BASE = '/platform/rest/deeplearning/v1';

const table = (id, title, columns, rows, none) => h('section', {class: 'panel scroll', tabindex: '0', 'aria-labelledby': id},
  h('div', {class: 'ph'}, h('h2', {id}, title)),
  rows.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, columns.map(([text, , kind]) => h('th', {scope: 'col', class: kind || ''}, text)))),
    h('tbody', null, rows.map((row) => h('tr', {key: row.name}, columns.map(([, cell, kind]) => h('td', {class: kind || ''}, cell(row)))))))
    : h('p', {class: 'empty'}, none));

const standing = (x) => (x.available ? 'yes' : outside(`no: ${x.reason}`));

class Frameworks {
  frameworks = [];
  packages = [];
  volumes = [];
  specs = [];
  title = () => 'Frameworks';
  async load() {
    const [frameworks, runtime, volumes, specs] = await Promise.all([`${BASE}/execs/frameworks`, '/api/v1/runtime', '/api/v1/volumes', '/api/v1/hwspecs'].map(get));
    Object.assign(this, {frameworks, packages: runtime.packages, volumes: volumes.volumes, specs: specs.hwspecs});
  }
  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Frameworks'), h('p', {class: 'sub'}, 'What executions can be started with here. In a shell: dlicmd --dl-frameworks, dlicmd --dl-runtime.'))),
      table('h-f', 'Frameworks', [['Name', (f) => outside(f.name)], ['Version', (f) => (f.frameworkVersion ? outside(f.frameworkVersion) : DASH)], ['What it is', (f) => outside(f.desc[0] || '')],
        ['Workers', (f) => (f.elastic ? `1 to ${number(f.maxWorkers)}` : f.execMode === 'distributed' ? `up to ${number(f.maxWorkers)}` : '1'), 'num'], ['From', (f) => outside(f.origin)], ['Can be started', standing]], this.frameworks, 'There is none.'),
      table('h-r', 'Default runtime', [['Package', (p) => outside(p.name)], ['Version', (p) => (p.available ? outside(p.version) : 'not available')]], this.packages, 'Python does not start on the gateway’s host.'),
      table('h-v', 'Storage volumes', [['Name', (v) => outside(v.name)], ['Description', (v) => outside(v.description)], ['Folder', (v) => outside(v.path)], ['Written to', (v) => (v.read_only ? 'no' : 'yes')], ['Can be read', standing]], this.volumes, 'The site has none: volumes.conf.'),
      table('h-h', 'Hardware specifications', [['Name', (s) => outside(s.name)], ['Description', (s) => outside(s.description)], ['CPUs', (s) => number(s.cpus), 'num'], ['Memory', (s) => (s.memory ? outside(s.memory) : DASH)], ['GPUs', (s) => (s.gpus ? `${number(s.gpus)} ${s.gpu_kind}` : DASH), 'num'], ['MIG', (s) => (s.mig ? outside(s.mig) : DASH)]], this.specs, 'The site has none: hwspecs.conf.')];
  }
}

export const frameworks = () => new Frameworks();

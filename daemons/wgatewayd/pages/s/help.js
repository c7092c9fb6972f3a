// Role: the Help page: the clients to take along, and how to begin with each.

import {store} from './api.js';
import {h} from './dom.js';

const example = (text) => h('pre', {class: 'cmd'}, text);

export const help = () => ({
  title: () => 'Help',
  view: () => [
    h('div', {class: 'head'}, h('div', null, h('h1', null, 'Help and downloads'), h('p', {class: 'sub'}, 'Everything here can be done from a shell, too, on any machine that reaches this address.'))),
    h('section', {class: 'panel', 'aria-labelledby': 'h-d'}, h('div', {class: 'ph'}, h('h2', {id: 'h-d'}, 'dlicmd')),
      h('div', {class: 'pb'}, h('p', {class: 'say'}, 'One Python file without requirements; its words are those of WMLA’s dlicmd.'),
        h('p', null, h('a', {class: 'btn', href: '/ui/tools/dlicmd.py', download: 'dlicmd.py'}, 'Download dlicmd.py')),
        example(`export WM_GATEWAY_URL=${location.origin}\npython3 dlicmd.py --logon --username ${store.session.user} --password YOUR-KEY\n` +
          'python3 dlicmd.py --exec-start edtPyTorch --numWorker 4 --model-main train.py --model-dir code -- --epochs 20\npython3 dlicmd.py --exec-get-all'))),
    h('section', {class: 'panel', 'aria-labelledby': 'h-m'}, h('div', {class: 'ph'}, h('h2', {id: 'h-m'}, 'dlim')),
      h('div', {class: 'pb'}, h('p', {class: 'say'}, 'Inference services: one Python file as well.'),
        h('p', null, h('a', {class: 'btn', href: '/ui/tools/dlim.py', download: 'dlim.py'}, 'Download dlim.py')),
        example(`python3 dlim.py config -c ${location.origin}\npython3 dlim.py config -t -u ${store.session.user} -k YOUR-KEY\npython3 dlim.py model deploy -p FOLDER\npython3 dlim.py model start NAME`))),
    h('section', {class: 'panel', 'aria-labelledby': 'h-c'}, h('div', {class: 'ph'}, h('h2', {id: 'h-c'}, 'curl')),
      h('div', {class: 'pb'}, h('p', {class: 'say'}, 'The REST interface takes Basic credentials, or the token of a log-on.'),
        example(`curl -u ${store.session.user} ${location.origin}/auth/v1/logon\n` +
          `curl -H "X-Auth-Token: $TOKEN" -F file=@code.zip \\\n  '${location.origin}/platform/rest/deeplearning/v1/execs?args=--exec-start%20PyTorch%20--model-main%20train.py'\n` +
          `curl -H "X-Auth-Token: $TOKEN" ${location.origin}/platform/rest/deeplearning/v1/execs`))),
    h('section', {class: 'panel', 'aria-labelledby': 'h-b'}, h('div', {class: 'ph'}, h('h2', {id: 'h-b'}, 'On a host of the cluster')),
      h('div', {class: 'pb'}, h('p', {class: 'say'}, 'An execution is a job: its number is the end of its id.'),
        example('bjobs -l 12      # how it stands, and why\nbwhy 12          # what keeps it waiting\nbkill 12         # stops it'))),
  ],
});

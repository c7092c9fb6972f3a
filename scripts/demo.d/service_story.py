"""Role: the web demo's services: a run's model is saved, promoted, deployed and verified in the browser; then a
service takes slots from an elastic training while it is asked, and gives them back.

  Save ─► promote ─► deploy online ─► verify: drawn, uploaded
  training on 4 GPUs ─► dlim deploy, start ─► a kernel, training on 3 ─► curl ─► load: 3 kernels, training on 1
  ─► no load: training on 4 again, no step lost ─► the next request is answered
Callers: web_story.py.
"""

import http.client
import json
import os
import re
import shutil
import ssl
import struct
import threading
import time
import urllib.parse
import zipfile
import zlib

import digits

HERE = os.path.dirname(os.path.realpath(__file__))
SABOTAGES = ('broken-kernel', 'no-release', 'unpromoted')
LIMIT_S = {'page': int(os.environ.get('DEMO_PAGE_LIMIT_S', 60)), 'kernel': int(os.environ.get('DEMO_KERNEL_LIMIT_S', 180)), 'resize': int(os.environ.get('DEMO_RESIZE_LIMIT_S', 120))}
CLIENTS = 6
REST_S = 6  # in which processes that have imported PyTorch wait on its hosts again: four imports, here on one machine
PROFILE = {'kernel': {'gpu': 'exclusive'}, 'resource_allocation': {'kernel': {'resource_plan': '/serving'}},
           'policy': {'kernel_min': 0, 'kernel_max': 3, 'schedule_interval': 1, 'kernel_delay_release_time': 5}}

# Lines that the page's figures have drawn.
DRAWN = '[...document.querySelectorAll(".uplot")].reduce((sum, plot) => sum + Number(plot.dataset.drawn ?? 0), 0)'


class ServiceFailed(Exception):
    """What was promised of services and did not happen."""


def png(rows):
    """A grey picture as a PNG file. @param rows lists of bytes, one a row"""
    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    head = struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(b''.join(b'\0' + bytes(row) for row in rows))) + chunk(b'IEND', b'')


class Load:
    """Clients that ask one thing after another until they are told that it is enough."""

    def __init__(self, url, token, authority, body):
        self._url, self._token, self._body = urllib.parse.urlsplit(url), token, body
        self._trust = ssl.create_default_context(cafile=authority)
        self._enough, self.statuses = threading.Event(), []
        self._clients = [threading.Thread(target=self._ask, daemon=True) for _ in range(CLIENTS)]
        for client in self._clients:
            client.start()

    def _ask(self):
        connection = http.client.HTTPSConnection(self._url.hostname, self._url.port, timeout=120, context=self._trust)
        while not self._enough.is_set():
            connection.request('POST', self._url.path, self._body, {'Authorization': f'Bearer {self._token}'})
            answer = connection.getresponse()
            answer.read()
            self.statuses.append(answer.status)

    def end(self):
        """Waits for the last answers; how many of each status."""
        self._enough.set()
        for client in self._clients:
            client.join(120)
        return {status: self.statuses.count(status) for status in sorted(set(self.statuses))}


class ServiceStory:
    """The scenes, on the story's cluster."""

    def __init__(self, story):
        self.story, self.url = story, story.url
        self.env = story.env

    def wait(self, what, condition, limit_s):
        """The story's, with what the service says when it does not happen."""
        try:
            return self.story.until(what, condition, limit_s)
        except Exception as problem:
            raise ServiceFailed(f'{problem}; {self.said()}') from None

    def said(self):
        """What is known of the services, for the reason of a failure."""
        told = []
        for service in self.get('/api/v1/services')['services']:
            facts = self.get(f'/api/v1/services/{service["name"]}')
            told.append(f'{service["name"]} {service["state"]}: {(facts["router"] or {}).get("kernels")} {facts["why"]}')
        return '; '.join(told)

    def get(self, path):
        """A value of the REST interface."""
        return json.loads(self.story.curl(path))

    # ---- save, promote, deploy, verify -------------------------------------------------------

    def promote(self, page, run, sabotage):
        """From the run's page to a service, by clicks."""
        page.open(f'{self.url}/apps/{run}')
        page.click('#save')
        page.until('document.querySelector("#save-model").open', LIMIT_S['page'], 'the dialog to save a model')
        page.fill('#model-name', 'digits')
        page.choose('#model-project', 'digits')
        self.story.picture(page, 'save-model')
        page.click('#save-model-go')
        page.until('location.pathname === "/models" && document.body.innerText.includes("accuracy")', LIMIT_S['page'], 'the model is saved, with its accuracy')
        page.open(f'{self.url}/spaces')
        page.fill('#space-name', 'shop')
        page.fill('#space-plan', '/serving')
        page.click('#make-space')
        page.until('document.querySelector("a[href=\'/spaces/shop\']") !== null', LIMIT_S['page'], 'the space is made')
        page.open(f'{self.url}/models')
        self.story.picture(page, 'models')
        if sabotage == 'unpromoted':
            page.open(f'{self.url}/spaces/shop')
        else:
            page.click('[data-promote=digits]')
        page.until('location.pathname === "/spaces/shop" && document.querySelector("[data-deploy=digits]") !== null', LIMIT_S['page'], 'the model is in the space')
        self.story.happened('the model is saved and promoted to the space shop')
        page.click('[data-deploy=digits]')
        page.fill('#deploy-min', '1')
        self.story.picture(page, 'deploy')
        page.click('#deploy-go')
        page.until('location.pathname === "/services/digits" && document.querySelector("#pad") !== null', LIMIT_S['page'], 'it is deployed, its page offers a test')

    def verify(self, page):
        """A drawn zero, and real digits that it has never seen."""
        circle = [(140 + 62 * x, 140 + 100 * y) for x, y in ((0, -1), (.7, -.7), (1, 0), (.7, .7), (0, 1), (-.7, .7), (-1, 0), (-.7, -.7), (0, -1))]
        page.drag('#pad', circle)
        page.click('#send-drawn')
        page.until('document.querySelector("#verdict")?.innerText === "0"', LIMIT_S['kernel'], 'the drawn zero is read')
        self.story.picture(page, 'verify-drawn')
        self.story.happened('a zero drawn in the browser is read as 0')
        page.click('[data-mode=upload]')
        images, labels = digits.load(os.path.join(self.story.cluster.path('data'), self.story.data), 'test')
        right = 0
        for number in range(5):
            path = os.path.join(self.story.work, f'sample-{number}.png')
            with open(path, 'wb') as out:
                out.write(png(images[number].tolist()))
            page.attach('input[name=sample]', path)
            page.until(f'document.querySelector("[data-asked=\'{number + 2}\']") !== null', LIMIT_S['kernel'], 'the uploaded digit is answered')
            right += page.value('document.querySelector("#verdict").innerText') == str(labels[number])
        self.story.picture(page, 'verify-uploaded')
        if right < 4:
            raise ServiceFailed(f'of 5 uploaded digits {right} were read')
        self.story.happened(f'of 5 uploaded digits that it has never seen {right} are read')
        self.story.run('dlim', 'model', 'stop', '-f', 'digits')
        self.wait('the service is stopped', lambda: self.get('/api/v1/services/digits')['state'] == 'Stopped', LIMIT_S['resize'])

    # ---- slots that come and go ---------------------------------------------------------------

    def package(self, run, sabotage):
        """A folder for dlim: the run's model, and a kernel."""
        folder = os.path.join(self.story.work, 'careful')
        self.story.curl('-o', 'model.zip', f'/api/v1/jobs/{run}/result.zip')
        with zipfile.ZipFile(os.path.join(self.story.work, 'model.zip')) as archive:
            for name in ('model.pt', 'signature.json'):
                archive.extract(f'model/{name}', folder)
        shutil.move(os.path.join(folder, 'model', 'signature.json'), folder)
        shutil.copy(os.path.join(HERE, 'careful.py'), os.path.join(folder, 'kernel.py'))
        if sabotage == 'broken-kernel':
            with open(os.path.join(folder, 'kernel.py'), 'w', encoding='utf-8') as out:
                out.write('raise SystemExit("this kernel is broken")\n')
        profile = json.loads(json.dumps(PROFILE))
        if sabotage == 'no-release':
            profile['policy']['kernel_delay_release_time'] = 3600
        texts = {'README.md': 'Digits, read with care.\n', 'profile.json': json.dumps(profile),
                 'model.json': json.dumps({'name': 'careful', 'weight_path': 'model/model.pt', 'kernel_path': 'kernel.py'})}
        for name, text in texts.items():
            with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
                out.write(text)
        return folder

    def slots_of_node1(self, count):
        """Two: one besides that of its GPU, for the router."""
        path = os.path.join(self.env['WM_CONF_DIR'], 'hosts.conf')
        with open(path, encoding='utf-8') as lines:
            text = lines.read()
        with open(path, 'w', encoding='utf-8') as out:
            out.write(re.sub(r'(\[node1\][^[]*?slots = )\d+', rf'\g<1>{count}', text, count=1))
        self.story.run('badmin', 'reconfig')

    def begin(self, steps):
        """An elastic training by curl; the job's number."""
        words = ['--exec-start', 'edtPyTorch', '--appName', 'training', '--consumer', '/research/ann', '--numWorker', '4', '--model-main', 'train.py']
        if self.story.data != '.':
            words += ['--cs-datastore-meta', f'type=fs,data_path={self.story.data}']
        args = '%20'.join([*words, '--', '--steps', str(steps)])
        begun = json.loads(self.story.curl('-F', 'file=@digits-code.zip', f'/platform/rest/deeplearning/v1/execs?args={args}'))
        return begun['id'].rsplit('-', 1)[1]

    def trained(self):
        """A short training that is over, for when these scenes are all that is told."""
        self.story.curl('-d', '{"name": "digits", "plan": "/research/ann"}', '/api/v1/projects')
        self.story.code('')
        job = self.begin(200)
        self.wait('a short training is done', lambda: self.story.jobs()[job]['WM_STATE'] == 'finished', 4 * LIMIT_S['kernel'])
        return job

    def train(self):
        """One that would go on for hours; the job's number."""
        job = self.begin(200000)
        self.wait('a training runs on all 4 GPUs', lambda: self.story.has(job, 4), LIMIT_S['resize'])
        self.wait('it makes steps', lambda: (self.get(f'/api/v1/jobs/{job}')['job'].get('step') or 0) > 5, LIMIT_S['kernel'])
        return job

    def kernels(self):
        """How many there are now."""
        return len((self.get('/api/v1/services/careful')['router'] or {}).get('kernels', []))

    def sample(self):
        """A held-out digit as a request."""
        images, _ = digits.load(os.path.join(self.story.cluster.path('data'), self.story.data), 'test')
        image = images[0] / 255
        return json.dumps({'inputs': [{'name': 'digit', 'shape': [1, 1, *image.shape], 'datatype': 'FP32', 'data': image.flatten().round(3).tolist()}]})

    def ask(self, body):
        """curl with a token, as people type it."""
        token = self.story.run('dlim', 'config', '-s').strip()
        return self.story.run('curl', '-sS', '--cacert', self.env['WM_GATEWAY_CA'], '-H', f'Authorization: Bearer {token}', '-d', body, f'{self.url}/dlim/v1/inference/careful')

    def give_and_take(self, page, run, sabotage):
        """A service takes slots from a training and gives them back."""
        self.slots_of_node1(2)
        job, body = self.train(), self.sample()
        self.story.run('dlim', 'model', 'deploy', '-p', self.package(run, sabotage))
        self.story.run('dlim', 'model', 'start', 'careful')
        begun = time.monotonic()
        said = self.ask(body)
        answer = json.loads(said) if said.startswith('{') else {}  # an error may be a line of text
        if 'outputs' not in answer:
            raise ServiceFailed(f'the first request got no answer: {said.strip()}; {self.said()}')
        self.story.happened(f'curl is answered {time.monotonic() - begun:.1f} s after the start, router, slot and kernel included: {answer["outputs"][-1]["data"]}')
        self.wait('the training gave up a slot: it is on 3', lambda: self.story.has(job, 3), LIMIT_S['resize'])
        page.open(f'{self.url}/services/careful')
        load = Load(f'{self.url}/dlim/v1/inference/careful', self.story.run('dlim', 'config', '-s').strip(), self.env['WM_GATEWAY_CA'], body)
        try:
            self.wait('load makes it 3 kernels', lambda: self.kernels() == 3, LIMIT_S['kernel'])
            self.wait('the training is on 1', lambda: self.story.has(job, 1), LIMIT_S['resize'])
            page.until(f'{DRAWN} >= 6', LIMIT_S['page'], 'the service\'s page draws its figures')
            time.sleep(6)
            self.story.picture(page, 'service-under-load')
        finally:
            statuses = load.end()
        if set(statuses) != {200}:
            raise ServiceFailed(f'answers under load: {statuses}')
        self.story.happened(f'{statuses[200]} requests under load, every one answered 200')
        self.wait('no load: after kernel_delay_release_time the training has its 4 GPUs again', lambda: self.story.has(job, 4) and self.kernels() == 0, LIMIT_S['resize'])
        self.story.picture(page, 'service-at-rest')
        time.sleep(REST_S)
        begun = time.monotonic()
        if 'outputs' not in json.loads(self.ask(body)):
            raise ServiceFailed('at zero kernels the next request got no answer')
        self.story.happened(f'at zero kernels the next request is answered, in {time.monotonic() - begun:.1f} s')
        self.no_step_lost(page, job)

    def no_step_lost(self, page, job):
        """What the training's own account says; then both end."""
        epochs = [e for e in self.get(f'/api/v1/jobs/{job}/timeline')['events'] if e['event'] == 'EPOCH']
        lost, paused = sum(e.get('steps_lost') or 0 for e in epochs), [round(e.get('pause_ms') or 0) for e in epochs]
        if lost:
            raise ServiceFailed(f'the training lost {lost} steps')
        self.story.happened(f'the training changed its size {len(epochs)} times, lost no step, paused {paused} ms')
        page.open(f'{self.url}/apps/{job}')
        page.until('document.body.innerText.includes("4 → 3")', LIMIT_S['page'], 'the training\'s page says why its size changed')
        self.story.picture(page, 'training-gave-and-got')
        self.story.run('bkill', job)
        for name in ('/services', '/services/careful?tab=profile'):
            page.open(self.url + name)
            time.sleep(1)
            self.story.picture(page, 'services' if name == '/services' else 'service-profile')
        self.story.run('dlim', 'model', 'stop', '-f', 'careful')
        self.wait('it is stopped, too', lambda: self.get('/api/v1/services/careful')['state'] == 'Stopped', LIMIT_S['resize'])
        self.slots_of_node1(1)

    def narrow_and_dark(self, page):
        """The same on a telephone at night."""
        page.look(400, 860, 'dark')
        for path, name in (('/services/careful', 'service-narrow'), ('/services/digits?tab=test', 'verify-narrow'), ('/models', 'models-narrow')):
            page.open(self.url + path)
            time.sleep(1)
            if page.value('document.documentElement.scrollWidth') > 400:
                raise ServiceFailed(f'{path} is wider than a telephone')
            self.story.picture(page, name)
        page.look(1280, 900, 'light')

    def tell(self, page, run, sabotage):
        """Both scenes. @param run a finished run that left model.pt"""
        self.promote(page, run, sabotage)
        self.verify(page)
        self.give_and_take(page, run, sabotage)
        self.narrow_and_dark(page)

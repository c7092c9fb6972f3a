"""Role: what happens in the web demo, in order, and how long each thing may take.

  ann logs in ─► creates an elastic experiment from a zip ─► trains on 4 ─► bob does the same ─► 2 and 2
  ─► bob is done ─► ann on 4 ─► done: her results as a zip ─► the same by dlicmd ─► and by curl ─► bkill
  ─► a search of 30 trials, through the deaths of the master and of a host
  ─► a notebook: started by a click, used, forgotten, ended (notebook_story.py)
  ─► a run that the master has forgotten (kept_story.py)
Each arrow is a wait with a limit; what does not happen in time is the demo's failure.
Callers: scripts/demo-web.
"""

import getpass
import json
import os
import subprocess
import time
import zipfile

import kept_story
import notebook_story
from browser import Browser, PageFailed
from last_words import last_words
from search_story import SearchFailed, SearchStory
from service_story import SABOTAGES as SERVICE_SABOTAGES, ServiceFailed, ServiceStory

HERE = os.path.dirname(os.path.realpath(__file__))
SABOTAGES = ('', 'wrong-key', 'no-shrink', 'broken-script', 'no-gateway', 'lost-trial', 'busy-notebook', *SERVICE_SABOTAGES)
SCENES = os.environ.get('DEMO_SCENES', 'train,service,search,notebook,kept').split(',')
STEPS = {'ann': int(os.environ.get('DEMO_STEPS_ANN', 1800)), 'bob': int(os.environ.get('DEMO_STEPS_BOB', 300))}
LIMIT_S = {'page': int(os.environ.get('DEMO_PAGE_LIMIT_S', 60)), 'start': 300, 'resize': int(os.environ.get('DEMO_RESIZE_LIMIT_S', 120)), 'train': 600}
REST = '/platform/rest/deeplearning/v1'


class StoryFailed(Exception):
    """What was promised and did not happen."""


class Story:
    """Runs the story on a cluster with a web door that is up."""

    def __init__(self, cluster, work, out, data):
        self.env = {**os.environ, **cluster.exports(), 'HOME': work}
        self.cluster, self.work, self.out, self.data = cluster, work, out, data
        self.url, self.key = self.env['WM_GATEWAY_URL'], self.env['WM_API_KEY']
        self.shots, self.began = [], time.monotonic()

    # ---- what is told and kept -----------------------------------------------------------

    def happened(self, what):
        """A line with its time."""
        print(f'{time.monotonic() - self.began:6.1f} s  {what}', flush=True)

    def picture(self, browser, name):
        """A screenshot of this step, numbered."""
        path = os.path.join(self.out, f'{len(self.shots) + 1:02d}-{name}.png')
        time.sleep(0.4)  # one more frame, so that it shows what was waited for
        browser.picture(path)
        self.shots.append(os.path.basename(path))

    def until(self, what, condition, limit_s):
        """Waits until `condition()` is true; its value."""
        deadline = time.monotonic() + limit_s
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise StoryFailed(f'not within {limit_s} s: {what} ({self.states()})')
            time.sleep(0.2)
        self.happened(what)
        return value

    # ---- asking beside the pages -----------------------------------------------------------

    def run(self, *words):
        """What a command prints; it must succeed."""
        done = subprocess.run(words, env=self.env, cwd=self.work, capture_output=True, text=True, check=False)
        if done.returncode:
            raise StoryFailed(f'{" ".join(words[:4])} …: exit {done.returncode}: {done.stderr.strip() or done.stdout.strip()}')
        return done.stdout

    def jobs(self):
        """bjobs of all jobs, by number."""
        shown = json.loads(self.run('bjobs', '-u', 'all', '-a', '-json', '-o', 'jobid job_name wm_state nalloc_slot exit_reason'))
        return {r['JOBID']: r for r in shown['RECORDS']}

    def states(self):
        """All jobs in a line, for the reason of a failure."""
        return ', '.join(f'{j["JOB_NAME"]} {j["WM_STATE"]} on {j["NALLOC_SLOT"]}' for j in self.jobs().values())

    def has(self, job, slots):
        """Does the job run on so many?"""
        row = self.jobs()[job]
        if row['WM_STATE'] in ('failed', 'error', 'killed'):
            raise StoryFailed(f'job {job} {row["WM_STATE"]} {row["EXIT_REASON"]}: {self.last_output(job)}')
        return row['WM_STATE'] == 'running' and int(row['NALLOC_SLOT']) == slots

    def is_drawn(self, browser, job):
        """Does the run page show a curve? A job that failed has none to come."""
        self.has(job, 0)
        return browser.value('[...document.querySelectorAll(".uplot")].some((plot) => Number(plot.dataset.drawn) > 0)')

    def last_output(self, job):
        """The end of what it said."""
        return last_words(self.cluster.path('results', getpass.getuser(), 'batchworkdir', job),
                          json.loads(self.run('bhist', '-json', job)))

    # ---- what people do -------------------------------------------------------------------

    def log_in(self, browser, key):
        """From the log-in page to the list of applications."""
        browser.open(f'{self.url}/apps')
        browser.fill('input[name=username]', getpass.getuser())
        browser.fill('input[name=password]', key)
        browser.click('button.pri')
        browser.until('document.querySelector("h1").innerText === "Applications"', LIMIT_S['page'], 'the log-in succeeds')

    def code(self, sabotage):
        """The training script and what it imports, as a zip with a folder."""
        path = os.path.join(self.work, 'digits-code.zip')
        with zipfile.ZipFile(path, 'w') as archive:
            archive.write(os.path.join(HERE, 'train.py'), 'code/train.py')
            if sabotage == 'broken-script':
                archive.writestr('code/digits.py', 'raise SystemExit("this code is broken")\n')
            else:
                archive.write(os.path.join(HERE, 'digits.py'), 'code/digits.py')
        return path

    def define(self, browser, sabotage):
        """Ann makes a project that names her plan, and a definition: zip, command, framework, GPUs, elastic."""
        browser.choose('select[name=project]', '')
        browser.fill('input[name=newProject]', 'digits')
        browser.choose('select[name=projectPlan]', '/research/ann')
        browser.fill('input[name=definition]', 'cnn')
        browser.attach('input[name=code]', self.code(sabotage))
        browser.fill('input[name=command]', f'train.py --steps {STEPS["ann"]}')
        browser.click(f'[data-choice=type-{"multi" if sabotage == "no-shrink" else "elastic"}]')
        browser.fill('input[name=nodes]', '4')

    def reuse(self, browser):
        """Bob uses the definition that is there, with a command of his own, in his plan."""
        browser.choose('select[name=project]', 'digits')
        browser.until('document.querySelector("select[name=existing]") !== null', LIMIT_S['page'], 'the existing definition is offered')
        browser.choose('select[name=existing]', 'cnn')
        browser.until('document.querySelectorAll(".card").length === 2', LIMIT_S['page'], 'the definition is added')
        browser.click('.card .link')
        browser.fill('input[name=allCommand]', f'train.py --steps {STEPS["bob"]}')
        browser.choose('select[name=plan]', '/research/bob')

    def create(self, browser, person, sabotage, shot):
        """Fills the form of a new experiment, and runs it; the job's number."""
        browser.click('a.btn.pri[href="/new/experiment"], .rail a[href="/new/experiment"]')
        browser.until('document.querySelector("h1").innerText === "New experiment" && document.querySelector(".bsub-line") !== null', LIMIT_S['page'], 'the form')
        browser.fill('input[name=name]', f'{person}-digits')
        if self.data != '.':
            browser.fill('input[name=data]', self.data)
        if person == 'ann':
            self.define(browser, sabotage)
        else:
            self.reuse(browser)
        browser.until(f'document.querySelector(".bsub-line").innerText.includes("-plan /research/{person}")', LIMIT_S['page'], 'the equivalent bsub line')
        if shot:
            self.picture(browser, f'{person}-new-experiment')
        browser.click('#experiment button.pri')
        try:
            browser.until('location.pathname.startsWith("/apps/")', LIMIT_S['page'], 'the run is created')
        except PageFailed:
            raise StoryFailed(f'the experiment of {person} is refused: {browser.value("document.querySelector(`[role=alert]`)?.innerText")}') from None
        job = browser.value('location.pathname').rsplit('/', 1)[1]
        self.happened(f'{person} creates and runs job {job} from the browser, in plan /research/{person}')
        return job

    # ---- the story --------------------------------------------------------------------------

    def tell(self, sabotage):
        """From the first log-in to the last answer."""
        if sabotage == 'no-gateway':
            self.cluster.kill(['wgatewayd'], 9)
        with Browser() as ann_sees, Browser() as bob_sees:
            ann_sees.open(f'{self.url}/apps')
            self.picture(ann_sees, 'log-in')
            self.log_in(ann_sees, 'a wrong key, which nobody has' if sabotage == 'wrong-key' else self.key)
            self.happened('ann logs in')
            self.picture(ann_sees, 'applications-empty')
            # Of what is done wrong in one of them nothing else matters.
            alone = {'lost-trial': ['search'], 'busy-notebook': ['notebook'], **{s: ['service'] for s in SERVICE_SABOTAGES}}
            scenes = alone.get(sabotage, SCENES)
            ann = self.train(ann_sees, bob_sees, sabotage) if 'train' in scenes else ''
            services = ServiceStory(self)
            if not ann and {'service', 'kept'} & set(scenes):
                ann = services.trained()
            if 'service' in scenes:
                services.tell(ann_sees, ann, sabotage)
            if 'search' in scenes:
                self.search(ann_sees, sabotage)
            if 'notebook' in scenes:
                notebook_story.tell(self, ann_sees, sabotage)
            jobs = list(self.jobs().values())
            if 'kept' in scenes:
                kept_story.tell(self, ann_sees, ann)
            self.check_pages((ann_sees, bob_sees))
        with open(os.path.join(self.out, 'web.json'), 'w', encoding='utf-8') as out:
            json.dump({'screenshots': self.shots, 'jobs': jobs, 'seconds': round(time.monotonic() - self.began, 1)}, out, indent=1)

    def train(self, ann_sees, bob_sees, sabotage):
        """Two people's elastic training, by page and by other clients; the first one's job."""
        ann = self.create(ann_sees, 'ann', sabotage, shot=True)
        bob = self.share(ann_sees, bob_sees, ann, sabotage)
        self.after_bob(ann_sees, bob_sees, ann, bob)
        self.by_other_clients(ann_sees)
        self.narrow_and_dark(ann_sees, ann)
        return ann

    def share(self, ann_sees, bob_sees, ann, sabotage):
        """4 → 2 + 2."""
        self.until('ann trains on 4 GPUs', lambda: self.has(ann, 4), LIMIT_S['start'])
        self.until('the run page draws her loss and accuracy', lambda: self.is_drawn(ann_sees, ann), LIMIT_S['train'])
        self.picture(ann_sees, 'ann-trains-on-4')
        self.log_in(bob_sees, self.key)
        bob = self.create(bob_sees, 'bob', sabotage, shot=True)
        ann_sees.open(f'{self.url}/apps')
        self.until('ann trains on 2, she gave 2 GPUs up', lambda: self.has(ann, 2), LIMIT_S['resize'])
        self.until('bob trains on the other 2', lambda: self.has(bob, 2), LIMIT_S['start'])
        for job in (ann, bob):
            ann_sees.until(f'[...document.querySelectorAll(".row")].some((r) => r.querySelector(".id")?.innerText === "{job}" && r.querySelector(".slc b")?.innerText === "2")',
                           LIMIT_S['page'], f'the Applications page shows job {job} on 2')
        self.happened('the Applications page shows 2 and 2')
        time.sleep(2)  # a while of it on the figure
        self.picture(ann_sees, 'applications-2-and-2')
        return bob

    def after_bob(self, ann_sees, bob_sees, ann, bob):
        """2 + 2 → 4, the end, and the results."""
        self.until('bob\'s run page draws his', lambda: self.is_drawn(bob_sees, bob), LIMIT_S['train'])
        self.picture(bob_sees, 'bob-trains-on-2')
        self.until('bob is done', lambda: self.jobs()[bob]['WM_STATE'] == 'finished', LIMIT_S['train'])
        self.until('ann trains on 4 again', lambda: self.has(ann, 4), LIMIT_S['resize'])
        time.sleep(2)
        self.picture(ann_sees, 'applications-4-again')
        ann_sees.open(f'{self.url}/apps/{ann}')
        ann_sees.until('["4 → 2", "2 → 4"].every((t) => document.body.innerText.includes(t)) || document.body.innerText.includes("3 → 4")', LIMIT_S['page'], 'her run page says why her size changed')
        self.picture(ann_sees, 'ann-why-each-size')
        self.until('ann is done', lambda: self.jobs()[ann]['WM_STATE'] == 'finished', LIMIT_S['train'])
        ann_sees.until('document.querySelector("a[href$=\'result.zip\']") !== null', LIMIT_S['page'], 'the results can be downloaded')
        self.picture(ann_sees, 'ann-finished')
        size = ann_sees.value('fetch(document.querySelector("a[href$=\'result.zip\']").href).then((r) => r.blob()).then((b) => b.size)')
        answer = self.curl('-o', 'result.zip', f'{REST}/execs/{ann}/result')
        with zipfile.ZipFile(os.path.join(self.work, 'result.zip')) as archive:
            result = json.loads(archive.read('model/result.json'))
        if not size or result['accuracy'] < 0.8:
            raise StoryFailed(f'the results are not good: {size} bytes, {result} {answer}')
        self.happened(f'ann\'s results come as a zip of {size} bytes: accuracy {result["accuracy"]:.3f} on {result["held_out"]} held-out digits')

    def curl(self, *words):
        """curl with the user's credentials; the last word is a path."""
        return self.run('curl', '-sS', '--fail-with-body', '--cacert', self.env['WM_GATEWAY_CA'], '-u', f'{getpass.getuser()}:{self.key}', *words[:-1], self.url + words[-1])

    def by_other_clients(self, ann_sees):
        """The same job by dlicmd and by curl; bjobs and bkill know both."""
        folder = os.path.join(self.work, 'code')
        with zipfile.ZipFile(os.path.join(self.work, 'digits-code.zip')) as archive:
            archive.extractall(self.work)
        words = ['--numWorker', '4', '--model-main', 'train.py']
        if self.data != '.':
            words += ['--cs-datastore-meta', f'type=fs,data_path={self.data}']
        said = self.run('dlicmd', '--exec-start', 'edtPyTorch', '--appName', 'by-dlicmd', *words, '--model-dir', folder, '--', '--steps', '60')
        first = json.loads(said[said.index('{'):])['execId']
        self.happened(f'dlicmd --exec-start: {first}')
        args = '%20'.join(['--exec-start', 'edtPyTorch', '--appName', 'by-curl', *words, '--', '--steps', '100000'])
        second = json.loads(self.curl('-F', 'file=@digits-code.zip', f'{REST}/execs?args={args}'))['id']
        self.happened(f'curl POST /execs: {second}')
        self.until('dlicmd sees its execution finish', lambda: json.loads(self.run('dlicmd', '--exec-get', first))['state'] == 'FINISHED', LIMIT_S['train'])
        if 'accuracy' not in self.run('dlicmd', '--exec-trainlogs', first):
            raise StoryFailed('dlicmd --exec-trainlogs does not show what the script printed')
        job = second.rsplit('-', 1)[1]
        self.until('bjobs shows the one that curl began', lambda: self.jobs()[job]['WM_STATE'] == 'running', LIMIT_S['start'])
        self.run('bkill', job)
        self.until('bkill ends it, and REST says KILLED', lambda: json.loads(self.curl(f'{REST}/execs/{second}'))['state'] == 'KILLED', LIMIT_S['start'])
        ann_sees.open(f'{self.url}/apps')
        ann_sees.until('["ann-digits-cnn", "bob-digits-cnn", "by-dlicmd", "by-curl"].every((n) => document.body.innerText.includes(n))', LIMIT_S['page'], 'the page lists all four')
        self.picture(ann_sees, 'applications-all-four')
        ann_sees.open(f'{self.url}/projects/digits')
        ann_sees.until('document.body.innerText.includes("bob-digits") && document.body.innerText.includes("cnn")', LIMIT_S['page'], 'the project lists its experiments')
        self.picture(ann_sees, 'project')

    def search(self, ann_sees, sabotage):
        """30 trials, through the deaths of the master and of a host."""
        try:
            SearchStory(self).tell(ann_sees, sabotage)
        except SearchFailed as problem:
            raise StoryFailed(f'{problem} ({self.states()})') from None

    def narrow_and_dark(self, ann_sees, ann):
        """The same on a telephone at night, and the other pages."""
        for path, name in (('/apps', 'applications-narrow'), (f'/apps/{ann}', 'run-narrow')):
            ann_sees.look(400, 860, 'dark')
            ann_sees.open(self.url + path)
            ann_sees.until('document.querySelectorAll(".row, .facts").length > 0', LIMIT_S['page'], name)
            if ann_sees.value('document.documentElement.scrollWidth') > 400:
                raise StoryFailed(f'{path} is wider than a telephone')
            self.picture(ann_sees, name)
        ann_sees.look(1280, 900, 'dark')
        for path, name in ((f'/apps/{ann}', 'run-dark'), ('/plans', 'plans-dark'), ('/help', 'help-dark')):
            ann_sees.open(self.url + path)
            time.sleep(1)
            self.picture(ann_sees, name)

    def check_pages(self, browsers):
        """Nothing that a page ran was refused or broke; before the log-in a session is asked for in vain."""
        said = [text for browser in browsers for text in browser.said
                if '/api/v1/session' not in text and self.env['WM_APPS_URL'] not in text]
        if said:
            raise StoryFailed(f'pages complained: {"; ".join(said[:5])}')
        self.happened('no page broke a rule of its own')

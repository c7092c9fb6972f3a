"""Role: the web demo's search: 30 trials of a classifier of real digits, 4 at a time, by dlicmd; on the way the
master is killed, and a host with all that runs on it. It ends FINISHED; no trial is lost, none is there twice.

  dlicmd --hpo-start ─► page ─► kill -9 wmasterd ─► kill -9 node3 ─► FINISHED ─► counted, looked at
Callers: web_story.py.
"""

import getpass
import json
import os
import shutil

HERE = os.path.dirname(os.path.realpath(__file__))
NAME, TRIALS, AT_ONCE, LIMIT_S = 'digits-search', 30, 4, int(os.environ.get('DEMO_SEARCH_LIMIT_S', 600))
EPOCHS = int(os.environ.get('DEMO_SEARCH_EPOCHS', 60))


class SearchFailed(Exception):
    """What was promised of the search and did not happen."""


def asked(data):
    """What is searched for. @param data the digits, below the cluster's data"""
    words = f'--exec-start PyTorch --user-cmd{f" --cs-datastore-meta type=fs,data_path={data}" if data != "." else ""}'
    number = {'type': 'Range', 'dataType': 'DOUBLE'}
    return {
        'hpoName': NAME, 'modelSpec': {'args': f'{words} -- python3 tune.py {EPOCHS}'},
        'algoDef': {'algorithm': 'auto', 'maxRunTime': 30, 'maxJobNum': TRIALS, 'maxParalleJobNum': AT_ONCE,
                    'objectiveMetric': 'loss', 'objective': 'minimize', 'additionalMetrics': {'accuracy': 'maximize'},
                    'algoParams': [{'name': 'RandomSeed', 'value': '7'}]},
        'hyperParams': [
            {'name': 'lr', **number, 'minDbVal': 0.001, 'maxDbVal': 1.0, 'log': True},
            {'name': 'momentum', **number, 'minDbVal': 0.0, 'maxDbVal': 0.95},
            {'name': 'hidden', 'type': 'Discrete', 'dataType': 'INT', 'discreteIntVal': [4, 8, 16, 32, 64, 128]},
            {'name': 'batch', 'type': 'Discrete', 'dataType': 'INT', 'discreteIntVal': [8, 16, 32, 64, 128]}]}


class SearchStory:
    """The scene, on the story's cluster."""

    def __init__(self, story):
        self.story = story

    def task(self):
        """The tuning task, as REST has it."""
        return json.loads(self.story.run('dlicmd', '--hpo-get', NAME))

    def over(self, count):
        """So many trials are over, of a search that is not."""
        task = self.task()
        if task['state'] not in ('SUBMITTED', 'RUNNING', 'FINISHED'):
            raise SearchFailed(f'the search is {task["state"]}: {task["reason"]} {task["progress"]}')
        return int(task['progress'].split('/')[0]) >= count

    def begin(self):
        """By dlicmd, with a file and a folder."""
        folder = os.path.join(self.story.work, 'tune')
        os.makedirs(folder)
        for name in ('tune.py', 'digits.py'):
            shutil.copy(os.path.join(HERE, name), folder)
        with open(os.path.join(self.story.work, 'search.json'), 'w', encoding='ascii') as out:
            json.dump(asked(self.story.data), out, indent=1)
        self.story.run('dlicmd', '--hpo-start', 'search.json', '--model-dir', folder)
        self.story.happened(f'dlicmd --hpo-start: {TRIALS} trials of a classifier of digits, {AT_ONCE} at a time')

    def look(self, browser, condition, what, shot):
        """Waits for the page of the search, and takes its picture."""
        browser.open(f'{self.story.url}/searches/{NAME}')
        browser.until(condition, 20, what)
        self.story.picture(browser, shot)

    def counted(self):
        """None lost, none twice: by REST, and by what the trials themselves have written."""
        task = self.task()
        trials = task['experiments']
        states = {t['state'] for t in trials}
        settings = {json.dumps(t['hyperParams'], sort_keys=True) for t in trials}
        if [t['id'] for t in trials] != list(range(TRIALS)) or states - {'FINISHED', 'STOPPED'}:
            raise SearchFailed(f'{len(trials)} of {TRIALS} trials, {sorted(states)}: {[t["id"] for t in trials if t["state"] not in ("FINISHED", "STOPPED")]}')
        if len(settings) != TRIALS:
            raise SearchFailed(f'{TRIALS - len(settings)} settings were tried twice')
        results = self.story.cluster.path('results', getpass.getuser(), 'batchworkdir')
        for trial in trials:
            path = os.path.join(results, '.'.join(trial['appId'].rsplit('-', 2)[1:]), 'ended')
            ends = len(open(path, encoding='ascii').readlines()) if os.path.exists(path) else 0
            if ends != 1 and (trial['state'] == 'FINISHED' or ends > 1):  # one that was stopped may have been done
                raise SearchFailed(f'trial {trial["id"]}, {trial["state"]}, ran to its end {ends} times')
        return task

    def tell(self, browser, sabotage):
        """From the first trial to the best one."""
        story = self.story
        self.begin()
        story.until('6 trials are over', lambda: self.over(6), LIMIT_S)
        self.look(browser, 'Number(document.querySelector(".uplot").dataset.values.split(" ")[0]) >= 4', 'the page draws the trials', 'search-runs')
        job = self.task()['experiments'][0]['appId'].rsplit('-', 2)[1]
        story.cluster.kill(['wmasterd'], 9)
        story.cluster.start('wmasterd')
        story.happened('wmasterd killed with signal 9, and started')
        story.until('12 trials are over', lambda: self.over(12), LIMIT_S)
        story.cluster.kill(['node3'], 9)
        story.happened('node3 killed with signal 9, with all that ran on it')
        if sabotage == 'lost-trial':
            story.run('bkill', f'{job}[{len(self.task()["experiments"])}]')
        story.until('16 trials are over without it', lambda: self.over(16), LIMIT_S)
        story.cluster.start('node3')
        story.until('the search is FINISHED', lambda: self.task()['state'] == 'FINISHED', LIMIT_S)
        task = self.counted()
        best = {m['name']: m for m in task['best']['metrics']}
        if best['accuracy']['max'] < 0.9:
            raise SearchFailed(f'the best of {TRIALS} is not good: {task["best"]}')
        pruned = sum(t['state'] == 'STOPPED' for t in task['experiments'])
        story.happened(f'{task["complete"]} trials finished, {pruned} stopped early, none lost, none twice; best loss {task["best"]["metricVal"]:.4f}, accuracy {best["accuracy"]["max"]:.3f}')
        self.look(browser, f'document.querySelectorAll("[aria-label=Trials] .rows [role=row]").length === {TRIALS} && document.body.innerText.includes("Finished")', 'the page shows all trials', 'search-finished')
        self.pictures(browser)

    def pictures(self, browser):
        """The list; narrow, and in the dark."""
        story = self.story
        browser.open(f'{story.url}/searches')
        browser.until(f'document.body.innerText.includes("{NAME}")', 15, 'the list shows it')
        story.picture(browser, 'searches')
        for width, scheme in ((400, 'light'), (1280, 'dark'), (400, 'dark')):
            browser.look(width, 900, scheme)
            for path, shot in ((f'/searches/{NAME}', 'search'), ('/searches', 'searches')):
                browser.open(story.url + path)
                browser.until(f'document.body.innerText.includes("{NAME}")', 15, shot)
                if browser.value('document.documentElement.scrollWidth') > width:
                    raise SearchFailed(f'{path} is wider than {width} px')
                story.picture(browser, f'{shot}-{width}-{scheme}')
        browser.look(1280, 900, 'light')

"""Role: figures of the pages in a headless browser, on the loopback of a private cluster. Prints `name value unit` lines; with --table
a table of them beside what is aimed at. Nothing is asserted.

  pages_first_paint_ms, pages_usable_ms    Applications with an empty cache: first words; first row of the list
  pages_slow_words_ms, pages_slow_usable_ms  the same over a line of TLS, 300 ms and 50 kB/s
  pages_keystroke_ms                       95 of 100 letters in the filter of JOBS jobs are painted within this
  pages_scroll_SPEED_fps, _blank           frames a second, and per cent of them without a row in the middle, at 6,000 and 20,000 px/s
  pages_short_jobs_ms, _task_ms            Applications with JOBS jobs: until the list is there; its longest task
  pages_main_RATE_s                        seconds of its main thread that the list takes a minute, at 5 and 200 changes a second
  pages_change_ms                          95 of 100 changes of a state in the master are painted within this
  pages_compare_ms, _task_ms               RUNS runs of 20 metrics beside each other: figures in sight; the longest task
  pages_heap_mb                            growth of the heap over CHANGES changes of a list
  pages_tests_part                         lines of unit tests by lines of code
Needs: B (build folder), nginx, chromium; without says so and prints nothing. WM_PAGES_JOBS: how many jobs (10,000).
Callers: scripts/bench, `make bench-pages`.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(TOP, *way) for way in (('scripts', 'common'), ('scripts', 'demo.d'), ('test', 'system'), ('test', 'bench'))]
sys.dont_write_bytecode = True
from cluster.cluster import Cluster  # noqa: E402
from cluster.web import why_not  # noqa: E402
from slow_line import SlowLine  # noqa: E402

SHAPE = {'nodes': 1, 'cpus': 4, 'gpus': 0, 'mem': '', 'conf': [], 'multiuser': False, 'web': True}
JOBS = int(os.environ.get('WM_PAGES_JOBS', '10000'))
RUNS, METRICS, STEPS, TURNS = 20, 20, 500, 20
AIMS = {'pages_first_paint_ms': '300', 'pages_usable_ms': '600', 'pages_slow_words_ms': '1,300', 'pages_slow_usable_ms': '3,000',
        'pages_keystroke_ms': '100', 'pages_scroll_6000_fps': '60', 'pages_scroll_20000_fps': '30', 'pages_scroll_20000_blank': '15',
        'pages_short_jobs_ms': '1,000', 'pages_short_jobs_task_ms': '50', 'pages_main_5_s': '2', 'pages_main_200_s': '6',
        'pages_change_ms': '300', 'pages_compare_ms': '500 (50 runs)', 'pages_compare_task_ms': '50', 'pages_heap_mb': '5 (24 h)',
        'pages_tests_part': '1'}
# From the beginning of a document: when its first row is there, and its longest task.
WATCH = '''window.longest = 0;
new PerformanceObserver((list) => { for (const e of list.getEntries()) window.longest = Math.max(window.longest, e.duration); }).observe({type: "longtask", buffered: true});
(function look() { if (document.querySelector(".rows .row")) window.usable = performance.now(); else requestAnimationFrame(look); })();'''
FRAMES = 'await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));'
found = []


def show(name, value, unit, note=''):
    """One line, for the table, too."""
    found.append((name, value, unit))
    print(f'{name} {value:.4g} {unit}' + (f'  # {note}' if note else ''), flush=True)


def p95(values):
    """What 95 of 100 do not pass."""
    return sorted(values)[max(0, -(-95 * len(values) // 100) - 1)]


def cold(browser, url):
    """(first words, first row, longest task) of a page that nothing is kept of. ms"""
    browser._ask('Network.clearBrowserCache')
    browser._ask('Page.addScriptToEvaluateOnNewDocument', {'source': WATCH})
    browser.open(url)
    browser.until('window.usable > 0', 120, 'the list is there')
    time.sleep(1)
    paint = browser.value('performance.getEntriesByName("first-contentful-paint")[0].startTime')
    return paint, browser.value('window.usable'), browser.value('window.longest')


def starts(door):
    """Applications from nothing, over the loopback and over a slow line."""
    took = []
    for _ in range(3):
        with door.Browser() as browser:
            door.log_in(browser)
            took.append(cold(browser, f'{door.URL}/apps'))
    show('pages_first_paint_ms', statistics.median(t[0] for t in took), 'ms')
    show('pages_usable_ms', statistics.median(t[1] for t in took), 'ms')
    where = urllib.parse.urlsplit(door.URL)
    with SlowLine(where.hostname, where.port, 0.3, 50_000) as line:
        rules = f'--host-resolver-rules=MAP {where.hostname}:{where.port} 127.0.0.1:{line.port}'
        with door.Browser(flags=[rules]) as browser:
            door.log_in(browser)
            words, usable, _ = cold(browser, f'{door.URL}/apps')
    show('pages_slow_words_ms', words, 'ms')
    show('pages_slow_usable_ms', usable, 'ms')


def fill(env, folder, count, name='many'):
    """So many jobs that wait."""
    path = os.path.join(folder, 'pack')
    with open(path, 'w', encoding='ascii') as pack:
        pack.writelines(f'-J {name}{n} -n 1 -H true\n' for n in range(count))
    subprocess.run(['bsub', '-pack', path], env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)


def typing(browser):
    """Letters in the filter, each until it is painted."""
    took = []
    for letter in 'many12 state:held many3 ' * 2:
        took.append(browser.value(f'''(async () => {{ const field = document.querySelector("input[name=filter]"); const begun = performance.now();
          field.value += {json.dumps(letter)}; field.dispatchEvent(new InputEvent("input", {{bubbles: true}})); {FRAMES}
          return performance.now() - begun; }})()'''))
        time.sleep(0.05)
    browser.value('''(() => { const field = document.querySelector("input[name=filter]"); field.value = "";
      field.dispatchEvent(new InputEvent("input", {bubbles: true})); })()''')
    show('pages_keystroke_ms', p95(took), 'ms', f'{JOBS} jobs, median {statistics.median(took):.0f}')


def scrolling(browser, speed):
    """Three seconds of it."""
    time.sleep(1)
    frames, blank = browser.value(f'''(async () => {{ scrollTo(0, 0); let frames = 0, blank = 0; const begun = performance.now();
      for (;;) {{ await new Promise(requestAnimationFrame); const now = performance.now() - begun; if (now > 3000) break;
        scrollTo(0, {speed} * now / 1000); ++frames;
        if (!document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(".row")) ++blank; }}
      scrollTo(0, 0); return [frames, blank]; }})()''')
    show(f'pages_scroll_{speed}_fps', frames / 3, '1/s')
    show(f'pages_scroll_{speed}_blank', 100 * blank / max(1, frames), '%')


def busy(browser):
    """Seconds that the page's main thread has worked."""
    metrics = browser._ask('Performance.getMetrics')['metrics']
    return next(m['value'] for m in metrics if m['name'] == 'TaskDuration')


def changing(browser, env, folder, rate, seconds=20):
    """Jobs that come, so many a second, while the list is looked at."""
    browser._ask('Performance.enable')
    time.sleep(3)
    before, began = busy(browser), time.monotonic()
    for second in range(seconds):
        if rate <= 5:
            for n in range(rate):
                subprocess.run(['bsub', '-J', f'slow{second}-{n}', '-H', 'true'], env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)
        else:
            fill(env, folder, rate, f'fast{second}-')
        time.sleep(max(0, began + second + 1 - time.monotonic()))
    show(f'pages_main_{rate}_s', (busy(browser) - before) * 60 / (time.monotonic() - began), 's/min', f'{seconds} s')


def changes(browser, env):
    """Until a new job is painted."""
    took = []
    for turn in range(TURNS):
        name = f'seen{turn}'
        browser.value(f'''(() => {{ window.seen = new Promise((done) => {{ const look = () =>
          document.body.innerText.includes("{name}") ? done(Date.now()) : setTimeout(look, 10); look(); }}); }})()''')
        subprocess.run(['bsub', '-J', name, '-H', 'true'], env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)
        begun = time.time()  # durable in the master
        took.append(max(0, browser.value('window.seen') - begun * 1000))
    show('pages_change_ms', p95(took), 'ms', f'n={TURNS}, median {statistics.median(took):.0f}')


def heap(browser):
    """MB that are in use after what can go has gone."""
    browser._ask('HeapProfiler.collectGarbage')
    return browser._ask('Runtime.getHeapUsage')['usedSize'] / 1e6


def lists(door, env, folder):
    """What a list of many jobs costs."""
    fill(env, folder, JOBS)
    with door.Browser() as browser:
        door.log_in(browser)
        _, usable, longest = cold(browser, f'{door.URL}/apps?whose=all')
        show('pages_short_jobs_ms', usable, 'ms', f'{JOBS} jobs')
        show('pages_short_jobs_task_ms', longest, 'ms')
        time.sleep(2)
        typing(browser)
        for speed in (6000, 20000):
            scrolling(browser, speed)
        before = heap(browser)
        changes(browser, env)
        changing(browser, env, folder, 5)
        changing(browser, env, folder, 200)
        show('pages_heap_mb', heap(browser) - before, 'MB', 'over 4,120 changes')


SCRIPT = f'''import math
for step in range({STEPS}):
    print(f'Timestamp {{1700000000000 + step * 1000}}, Iteration {{step}}')
    for m in range({METRICS}):
        print(f'Iteration {{step}}: tag train_m{{m}}, simple_value {{math.exp(-step / (100 + m))}}')
'''


def comparing(door, env, folder):
    """Many runs, each with many metrics, beside each other."""
    os.makedirs(os.path.join(folder, 'code'))
    with open(os.path.join(folder, 'code', 'main.py'), 'w', encoding='ascii') as script:
        script.write(SCRIPT)
    subprocess.run(['tar', '-czf', 'code.modelDir.tar', 'code'], cwd=folder, check=True)
    execs = f'{door.URL}/platform/rest/deeplearning/v1/execs?args=--exec-start%20PyTorch%20--workerDeviceType%20cpu%20--model-main%20main.py'
    curl = ['curl', '-sS', '--cacert', env['WM_GATEWAY_CA'], '-u', f'{door.getpass.getuser()}:{env["WM_API_KEY"]}']
    ids = []
    for _ in range(RUNS):
        said = subprocess.run([*curl, '-F', 'file=@code.modelDir.tar', execs], cwd=folder, check=True, capture_output=True, text=True).stdout
        ids.append(json.loads(said)['id'].rsplit('-', 1)[1])
    for _ in range(600):
        states = subprocess.run(['bjobs', '-a', '-noheader', '-o', 'stat', *ids], env={**os.environ, **env}, capture_output=True, text=True, check=True).stdout.split()
        if all(state == 'DONE' for state in states):
            break
        time.sleep(0.2)
    else:
        print('# pages_compare_ms: the runs did not end', file=sys.stderr)
        return
    drawn = '[...document.querySelectorAll(".uplot")].some((plot) => Number(plot.dataset.drawn ?? 0) > 0)'
    with door.Browser() as browser:
        door.log_in(browser)
        browser._ask('Page.addScriptToEvaluateOnNewDocument', {'source': WATCH})
        browser.open(f'{door.URL}/compare?runs={",".join(ids)}')  # the index is made by who reads first
        browser.until(drawn, 120, 'a figure is drawn')
        time.sleep(2)
        browser.go(f'{door.URL}/compare?runs={",".join(ids)}')
        browser.until(f'{drawn} && performance.now() > 0', 120, 'it is drawn again')
        took = browser.value('Math.max(0, ...performance.getEntriesByType("resource").map((e) => e.responseEnd))')
        show('pages_compare_ms', took, 'ms', f'{RUNS} runs of {METRICS} metrics: until the last answer is there')
        time.sleep(1)
        show('pages_compare_task_ms', browser.value('window.longest'), 'ms')


def ratio():
    """Lines of unit tests by lines of code; neither blanks nor remarks."""
    lines = {True: 0, False: 0}
    for folder, _, names in os.walk(os.path.join(TOP, 'daemons', 'wgatewayd', 'pages')):
        if 'node_modules' in folder:
            continue
        for name in names:
            if not name.endswith(('.ts', '.tsx')) or name == 'types.ts':
                continue
            with open(os.path.join(folder, name), encoding='utf-8') as text:
                lines['.test.' in name] += sum(1 for line in map(str.strip, text) if line and not line.startswith(('//', '/*', '*')))
    show('pages_tests_part', lines[True] / lines[False], '', f'{lines[True]} of tests, {lines[False]} of code')


def table():
    """What was found beside what is aimed at."""
    print('\n| figure | measured | aim |\n|---|---|---|')
    for name, value, unit in found:
        print(f'| {name} | {value:.4g} {unit} | {AIMS.get(name, "")} |')


def main():
    """In a temporary cluster."""
    why = why_not() or ('' if shutil.which('chromium') else 'no chromium (scripts/bootstrap web)')
    if why:
        print(f'# pages_…: {why}', file=sys.stderr)
        return
    folder = tempfile.mkdtemp(prefix='wm-pages-bench.')
    cluster = Cluster(os.path.join(folder, 'cluster'), os.environ.get('B', os.path.join(TOP, 'build')))
    try:
        cluster.up(SHAPE)
        env = cluster.exports()
        os.environ.update(env)
        import pages_check as door  # reads where the door is
        ratio()
        fill(env, folder, 20)  # a row to wait for
        for part in (lambda: starts(door), lambda: comparing(door, env, folder), lambda: lists(door, env, folder)):
            try:
                part()
            except door.PageFailed as problem:  # the figures of the others are figures
                print(f'# {str(problem)[:200]!r}', file=sys.stderr)
    finally:
        cluster.down()
        shutil.rmtree(folder, ignore_errors=True)
    if '--table' in sys.argv:
        table()


if __name__ == '__main__':
    main()

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
  pages_many_keystroke_ms, _scroll_SPEED_fps, _blank  as above with MANY jobs
  pages_points_open_ms, _zoom_ms           a run of POINTS metric points is gone to until a curve is drawn; a part of one has come
  pages_streams, _cpu                      streams of BROWSERS log-ons that follow 5 changes a second, and ask for slots as pages do;
                                           per cent of a core that nginx, wgatewayd and wuserd take together
  pages_hub_heap_mb                        growth of what holds the jobs over 432,000 changes, which are five a second for a day
  pages_tests_part                         lines of unit tests by lines of code
Needs: B (build folder), nginx, chromium; without says so and prints nothing. WM_PAGES_JOBS, _MANY, _POINTS: how many
(10,000, 100,000, 10,000,000). WM_PAGES_PARTS: which of starts comparing points streams lists heap, blanks between; without: all.
Callers: scripts/bench, `make bench-pages`.
"""

import base64
import getpass
import http.client
import json
import os
import re
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(TOP, *way) for way in (('scripts', 'common'), ('scripts', 'demo.d'), ('test', 'system'), ('test', 'bench'))]
sys.dont_write_bytecode = True
from cluster.cluster import Cluster  # noqa: E402
from cluster.web import why_not  # noqa: E402
from slow_line import SlowLine  # noqa: E402

SHAPE = {'nodes': 1, 'cpus': 4, 'gpus': 0, 'mem': '', 'conf': [], 'multiuser': False, 'web': True}
SIZES = {'JOBS': '10000', 'MANY': '100000', 'POINTS': '10000000'}
JOBS, MANY, POINTS = (int(os.environ.get(f'WM_PAGES_{name}', usual)) for name, usual in SIZES.items())
BROWSERS, A_DAY = 20, 432_000
RUNS, METRICS, STEPS, TURNS = 20, 20, 500, 20
AIMS = {'pages_first_paint_ms': '300', 'pages_usable_ms': '600', 'pages_slow_words_ms': '1,300', 'pages_slow_usable_ms': '3,000',
        'pages_keystroke_ms': '100', 'pages_scroll_6000_fps': '60', 'pages_scroll_20000_fps': '30', 'pages_scroll_20000_blank': '15',
        'pages_short_jobs_ms': '1,000', 'pages_short_jobs_task_ms': '50', 'pages_main_5_s': '2', 'pages_main_200_s': '6',
        'pages_change_ms': '300', 'pages_compare_ms': '500 (50 runs)', 'pages_compare_task_ms': '50', 'pages_heap_mb': '5 (24 h)',
        'pages_many_keystroke_ms': '100', 'pages_many_scroll_6000_fps': '60', 'pages_many_scroll_20000_fps': '30',
        'pages_many_scroll_20000_blank': '15', 'pages_points_open_ms': '300', 'pages_points_zoom_ms': '150', 'pages_streams': '20',
        'pages_streams_cpu': '10', 'pages_hub_heap_mb': '5', 'pages_tests_part': '1'}
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
    for first in range(0, count, 10_000):
        with open(path, 'w', encoding='ascii') as pack:
            pack.writelines(f'-J {name}{n} -n 1 -H true\n' for n in range(first, min(count, first + 10_000)))
        subprocess.run(['bsub', '-pack', path], env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)


def typing(browser, prefix='pages', jobs=JOBS):
    """Letters in the filter, each until it is painted."""
    took = []
    for letter in 'many12 state:held many3 ' * 2:
        took.append(browser.value(f'''(async () => {{ const field = document.querySelector("input[name=filter]"); const begun = performance.now();
          field.value += {json.dumps(letter)}; field.dispatchEvent(new InputEvent("input", {{bubbles: true}})); {FRAMES}
          return performance.now() - begun; }})()'''))
        time.sleep(0.05)
    browser.value('''(() => { const field = document.querySelector("input[name=filter]"); field.value = "";
      field.dispatchEvent(new InputEvent("input", {bubbles: true})); })()''')
    show(f'{prefix}_keystroke_ms', p95(took), 'ms', f'{jobs} jobs, median {statistics.median(took):.0f}')


def scrolling(browser, speed, prefix='pages'):
    """Three seconds of it."""
    time.sleep(1)
    frames, blank = browser.value(f'''(async () => {{ scrollTo(0, 0); let frames = 0, blank = 0; const begun = performance.now();
      for (;;) {{ await new Promise(requestAnimationFrame); const now = performance.now() - begun; if (now > 3000) break;
        scrollTo(0, {speed} * now / 1000); ++frames;
        if (!document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(".row")) ++blank; }}
      scrollTo(0, 0); return [frames, blank]; }})()''')
    show(f'{prefix}_scroll_{speed}_fps', frames / 3, '1/s')
    show(f'{prefix}_scroll_{speed}_blank', 100 * blank / max(1, frames), '%')


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
    if MANY > JOBS:
        many(door, env, folder)


def many(door, env, folder):
    """The same of as many as a cluster may have."""
    fill(env, folder, MANY - JOBS, 'crowd')
    with door.Browser() as browser:
        door.log_in(browser)
        _, usable, longest = cold(browser, f'{door.URL}/apps?whose=all')
        show('pages_many_usable_ms', usable, 'ms', f'{MANY} jobs; longest task {longest:.0f} ms')
        time.sleep(2)
        typing(browser, 'pages_many', MANY)
        for speed in (6000, 20000):
            scrolling(browser, speed, 'pages_many')


SCRIPT = f'''import math
for step in range({STEPS}):
    print(f'Timestamp {{1700000000000 + step * 1000}}, Iteration {{step}}')
    for m in range({METRICS}):
        print(f'Iteration {{step}}: tag train_m{{m}}, simple_value {{math.exp(-step / (100 + m))}}')
'''


# As one metric's line after the other, a step at once.
FLOOD = '''import sys
for first in range(0, {steps}, 1000):
    lines = []
    for step in range(first, min({steps}, first + 1000)):
        lines.append(f'Timestamp {{1700000000000 + step * 10}}, Iteration {{step}}')
        lines += [f'Iteration {{step}}: tag train_m{{m}}, simple_value {{(step * 7 + m) % 1000 / 1000}}' for m in range({metrics})]
    sys.stdout.write('\\n'.join(lines) + '\\n')
'''
DRAWN = '[...document.querySelectorAll(".uplot")].some((plot) => Number(plot.dataset.drawn ?? 0) > 0)'
FIRST_CURVE = '''(async () => { const link = document.createElement("a"); link.href = "/apps/%s"; document.body.append(link); const begun = performance.now();
  link.click(); while (!(location.pathname === "/apps/%s" && ''' + DRAWN + ''')) await new Promise(requestAnimationFrame);
  return performance.now() - begun; })()'''
ZOOM = '''(async () => { const over = document.querySelector(".u-over"); const at = over.getBoundingClientRect(); const begun = performance.now();
  const move = (type, part, target) => target.dispatchEvent(new MouseEvent(type, {bubbles: true, clientX: at.left + at.width * part,
    clientY: at.top + at.height / 2, movementX: 1, button: 0, buttons: 1}));
  performance.clearResourceTimings(); move("mousemove", %f, over); move("mousedown", %f, over); move("mousemove", %f, over); move("mouseup", %f, document);
  const come = () => performance.getEntriesByType("resource").some((e) => e.name.includes("from=") && e.responseEnd > 0);
  while (!come()) await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame);
  return performance.now() - begun; })()'''


def started(door, env, folder, script, count, patience=120):
    """Ids of as many runs of a script, which have ended."""
    code = os.path.join(folder, f'code{time.monotonic_ns()}', 'code')
    os.makedirs(code)
    with open(os.path.join(code, 'main.py'), 'w', encoding='ascii') as text:
        text.write(script)
    subprocess.run(['tar', '-czf', 'code.modelDir.tar', 'code'], cwd=os.path.dirname(code), check=True)
    execs = f'{door.URL}/platform/rest/deeplearning/v1/execs?args=--exec-start%20PyTorch%20--workerDeviceType%20cpu%20--model-main%20main.py'
    curl = ['curl', '-sS', '--cacert', env['WM_GATEWAY_CA'], '-u', f'{door.getpass.getuser()}:{env["WM_API_KEY"]}']
    ids = []
    for _ in range(count):
        said = subprocess.run([*curl, '-F', 'file=@code.modelDir.tar', execs], cwd=os.path.dirname(code), check=True, capture_output=True, text=True).stdout
        ids.append(json.loads(said)['id'].rsplit('-', 1)[1])
    until = time.monotonic() + patience
    while time.monotonic() < until:
        bjobs = ['bjobs', '-a', '-noheader', '-o', 'stat', *ids]
        states = subprocess.run(bjobs, env={**os.environ, **env}, capture_output=True, text=True, check=True).stdout.split()
        if all(state == 'DONE' for state in states):
            return ids
        time.sleep(0.2)
    raise door.PageFailed(f'runs did not end within {patience} s: {states}')


def points(door, env, folder):
    """A run with very many points of metrics."""
    (job,) = started(door, env, folder, FLOOD.format(steps=POINTS // METRICS, metrics=METRICS), 1, 600)
    with door.Browser() as browser:
        door.log_in(browser)
        browser.go(f'{door.URL}/apps/{job}')
        browser.until(DRAWN, 600, 'a curve is drawn')  # the index is made by who reads first
        for _ in range(120):  # it reads on with each answer
            before = browser.value('[...document.querySelectorAll(".uplot")].map((plot) => plot.dataset.values).join()')
            time.sleep(2)
            browser.go(f'{door.URL}/apps/{job}')
            browser.until(DRAWN, 60, 'a curve is drawn')
            if before == browser.value('[...document.querySelectorAll(".uplot")].map((plot) => plot.dataset.values).join()'):
                break
        opens, zooms = [], []
        for turn in range(5):
            browser.go(f'{door.URL}/apps')
            browser.until('document.querySelector(".rows .row") !== null', 60, 'the list is there')
            opens.append(browser.value(FIRST_CURVE % (job, job)))
            time.sleep(1)
            low, high = 0.1 + turn / 10, 0.2 + turn / 10
            zooms.append(browser.value(ZOOM % (low, low, high, high)))
    show('pages_points_open_ms', statistics.median(opens), 'ms', f'{POINTS} points, worst {max(opens):.0f}')
    show('pages_points_zoom_ms', statistics.median(zooms), 'ms', f'worst {max(zooms):.0f}')


def comparing(door, env, folder):
    """Many runs, each with many metrics, beside each other."""
    ids = started(door, env, folder, SCRIPT, RUNS)
    drawn = DRAWN
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


def server_cpu(env):
    """Seconds that nginx, wgatewayd and wuserd of this cluster have computed."""
    ticks = 0
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/comm', encoding='ascii') as text:
                name = text.read().strip()
            with open(f'/proc/{pid}/environ', encoding='utf-8', errors='replace') as text:
                ours = f'WM_CLUSTER_DIR={env["WM_CLUSTER_DIR"]}' in text.read()
            if ours and name in ('nginx', 'wgatewayd', 'wuserd'):
                with open(f'/proc/{pid}/stat', encoding='ascii') as text:
                    ticks += sum(map(int, text.read().rsplit(')', 1)[1].split()[11:13]))
        except OSError:
            continue  # it has ended
    return ticks / os.sysconf('SC_CLK_TCK')


def as_a_page(url, env, ended, answers):
    """Asks for slots as often as a page that is seen does. `answers` gets the status of each."""
    where = urllib.parse.urlsplit(url)
    line = http.client.HTTPSConnection(where.hostname, where.port, context=ssl.create_default_context(cafile=env['WM_GATEWAY_CA']))
    words = base64.b64encode(f'{getpass.getuser()}:{env["WM_API_KEY"]}'.encode()).decode()
    while not ended.wait(1.5):
        line.request('GET', '/api/v1/slots?minutes=12', headers={'Authorization': f'Basic {words}'})
        answer = line.getresponse()
        answers.append(answer.status)
        answer.read()


def streams(door, env, seconds=30):
    """What those who look on cost: each browser has one stream, however many tabs."""
    account = f'{door.getpass.getuser()}:{env["WM_API_KEY"]}'
    curl = ['curl', '-sSN', '--cacert', env['WM_GATEWAY_CA'], '-u', account, f'{door.URL}/api/v1/stream']
    ended, answers = threading.Event(), []
    open_ones = [subprocess.Popen(curl, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(BROWSERS)]
    askers = [threading.Thread(target=as_a_page, args=(door.URL, env, ended, answers), daemon=True) for _ in range(BROWSERS)]
    try:
        for asker in askers:
            asker.start()
        time.sleep(3)
        before, began = server_cpu(env), time.monotonic()
        for second in range(seconds):
            for n in range(5):
                subprocess.run(['bsub', '-J', f'watched{second}-{n}', '-H', 'true'], env={**os.environ, **env}, check=True, stdout=subprocess.DEVNULL)
            time.sleep(max(0, began + second + 1 - time.monotonic()))
        took = time.monotonic() - began
        show('pages_streams', sum(one.poll() is None for one in open_ones), '', 'of as many log-ons of one account')
        note = f'of a core, {5 * seconds / took:.1f} changes and {answers.count(200) / took:.1f} answers a second, {len(answers) - answers.count(200)} refused'
        show('pages_streams_cpu', 100 * (server_cpu(env) - before) / took, '%', note)
    finally:
        ended.set()
        for one in open_ones:
            one.kill()
            one.wait()


def hub_heap():
    """A day of changes, compressed: what holds the jobs for all tabs of a browser."""
    test = os.path.join(os.environ.get('B', os.path.join(TOP, 'build')), 'pages-test', 'live', 'hub_long.test.mjs')
    if not shutil.which('node') or not os.path.exists(test):
        print('# pages_hub_heap_mb: no node, or its tests are not built (make check)', file=sys.stderr)
        return
    said = subprocess.run(['node', test], env={**os.environ, 'WM_CHANGES': str(A_DAY)}, capture_output=True, text=True, check=False).stdout
    found = re.search(r'(\d+) changes: (-?\d+) bytes', said)
    if found:
        show('pages_hub_heap_mb', max(0, int(found[2])) / 1e6, 'MB', f'over {found[1]} changes')


def ratio():
    """Lines of unit tests, and of what only they use, by lines of code; neither blanks nor remarks."""
    lines = {True: 0, False: 0}
    for folder, _, names in os.walk(os.path.join(TOP, 'daemons', 'wgatewayd', 'pages')):
        if 'node_modules' in folder:
            continue
        for name in names:
            if not name.endswith(('.ts', '.tsx')) or name == 'types.ts':
                continue
            with open(os.path.join(folder, name), encoding='utf-8') as text:
                lines['.test.' in name or name.startswith('fake_')] += sum(1 for line in map(str.strip, text) if line and not line.startswith(('//', '/*', '*')))
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
        parts = {'starts': lambda: starts(door), 'comparing': lambda: comparing(door, env, folder), 'points': lambda: points(door, env, folder),
                 'streams': lambda: streams(door, env), 'lists': lambda: lists(door, env, folder), 'heap': hub_heap}
        for name in os.environ.get('WM_PAGES_PARTS', '').split() or parts:
            try:
                parts[name]()
            except door.PageFailed as problem:  # the figures of the others are figures
                print(f'# {str(problem)[-300:]!r}', file=sys.stderr)
    finally:
        cluster.down()
        shutil.rmtree(folder, ignore_errors=True)
    if '--table' in sys.argv:
        table()


if __name__ == '__main__':
    main()

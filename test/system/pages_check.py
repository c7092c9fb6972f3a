"""Role: what 099-web-pages.bats sees in a real browser: every page in both themes under axe-core, and how
fast the list of applications is with 10,000 jobs.

  pages_check.py axe AXE_JS PATH…     serious findings, one a line; exit 1 where there are any
  pages_check.py apps JOB VICTIM      what a page that JOB serves reaches of our interface; exit 1 where it is anything
  pages_check.py compare JOB JOB      applications are chosen by pointer, compared, and stopped together
  pages_check.py renewed FOLDER       the pages in FOLDER are renewed under an open one, which goes on
  pages_check.py hostile JOB…         names that are scripts are text; exit 1 where they are anything else
  pages_check.py many JOBS            keystroke → painted, change of a state → painted, in milliseconds
Environment: as of `minicluster env`. Callers: 099-web-pages.bats, test/bench/door_bench.py.
"""

import getpass
import json
import os
import statistics
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'scripts', 'common'), os.path.join(TOP, 'scripts', 'demo.d')]
sys.dont_write_bytecode = True
from browser import Browser, PageFailed  # noqa: E402

URL, KEY = os.environ['WM_GATEWAY_URL'], os.environ['WM_API_KEY']
BARRED = ('serious', 'critical')
RUN = '''axe.run(document, {resultTypes: ["violations"]}).then((found) => JSON.stringify(found.violations.map((v) =>
  ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message || ""))}))))'''
# Lines that the page's figures have drawn.
DRAWN = '[...document.querySelectorAll(".uplot")].reduce((sum, plot) => sum + Number(plot.dataset.drawn ?? 0), 0)'
MIDDLING = 900  # the rail stands beside one column
# Until the frame after the next one has been drawn.
PAINTED = 'await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));'


def log_in(browser):
    """To the list of applications."""
    browser.open(f'{URL}/apps')
    browser.fill('input[name=username]', getpass.getuser())
    browser.fill('input[name=password]', KEY)
    browser.click('button.pri')
    browser.until('document.querySelector("h1").innerText === "Applications"', 20, 'the log-in succeeds')


def findings(browser, axe, where, theme):
    """Serious and worse findings of the page that is open, as lines."""
    browser.value(axe + '; true')
    lines = []
    for found in json.loads(browser.value(RUN)):
        if found['impact'] in BARRED:
            lines += [f'{where} ({theme}): {found["id"]} {found["impact"]}: {found["help"]}: {node}' for node in found['nodes'][:4]]
    return lines


def too_wide(browser, where, width):
    """Whether the page has to be moved sideways, as lines."""
    wide = browser.value('document.documentElement.scrollWidth')
    return [f'{where}: {wide} wide in a window of {width}'] if wide > width else []


def check(axe_file, paths):
    """Every page, in both themes, before and after the log-in."""
    with open(axe_file, encoding='utf-8') as text:
        axe = text.read()
    lines = []
    with Browser() as browser:
        browser.open(f'{URL}/apps')
        lines += findings(browser, axe, 'log-in', 'light')
        log_in(browser)
        for theme in ('light', 'dark'):
            for width in (1280, 400):
                browser.look(width, 900, theme)
                for path in paths:
                    begun = time.monotonic()
                    try:
                        browser.open(URL + path)
                    except PageFailed as problem:
                        raise PageFailed(f'{problem}; said: {browser.said[-25:]}') from None
                    if os.environ.get('VERBOSE'):
                        print(path, theme, width, round(time.monotonic() - begun, 2), file=sys.stderr)
                    time.sleep(0.7)  # what it asks for comes
                    lines += findings(browser, axe, path, f'{theme}, {width}') + too_wide(browser, path, width)
                    if width == 1280 and theme == 'light':
                        browser.look(MIDDLING, 900, theme)
                        lines += too_wide(browser, path, MIDDLING)
                        browser.look(width, 900, theme)
    print('\n'.join(dict.fromkeys(lines)) or f'no serious finding on {len(paths)} pages')
    return 1 if lines else 0


CALL = """(async () => {{
  const said = [];
  for (const [path, options] of [['/api/v1/session', {{}}], ['/api/v1/jobs', {{}}], ['/platform/rest/deeplearning/v1/execs', {{}}],
      ['/api/v1/jobs/{victim}/stop', {{method: 'POST', mode: 'no-cors'}}], ['/auth/v1/logoff', {{method: 'POST', mode: 'no-cors'}}]])
    try {{
      const answer = await fetch('{url}' + path, {{credentials: 'include', ...options}});
      said.push(answer.type === 'opaque' ? 'opaque' : path + ' ' + answer.status + ' ' + (await answer.text()).slice(0, 60));
    }} catch (problem) {{ said.push('refused'); }}
  try {{ const stream = new EventSource('{url}/api/v1/stream', {{withCredentials: true}});
    said.push(await new Promise((done) => {{ stream.onmessage = stream.onopen = () => done('heard'); stream.onerror = () => done('refused'); setTimeout(() => done('refused'), 3000); }}));
  }} catch (problem) {{ said.push('refused'); }}
  return [...said, document.cookie];
}})()"""


def apps(job, victim):
    """A page that a job serves calls our interface with the user's cookie, in all ways that a browser has, in vain."""
    served = os.environ['WM_APPS_URL']
    with Browser() as browser:
        log_in(browser)
        browser.open(f'{URL}/notebooks')
        browser.until(f'document.querySelector(".notebook[data-id=\\"{job}\\"] [data-do=open]") !== null', 60, 'it is ready')
        browser.click(f'.notebook[data-id="{job}"] [data-do=open]')
        browser.tab(f'{served}/{job}/')
        browser.until('document.readyState === "complete"', 20)
        *said, cookie = browser.value(CALL.format(url=URL, victim=victim))
        print(said, repr(cookie))
        if any(word not in ('refused', 'opaque') for word in said) or '__Host-wm' in cookie:
            return 1
        browser.tab(f'{URL}/notebooks')
        browser.open(f'{URL}/apps')  # logged on still
        return 0 if browser.value('document.querySelector("h1").innerText') == 'Applications' else 1


def hostile(*jobs):
    """Names that would be scripts, that turn the text round, or that are very long, are text on every page."""
    with Browser(width=1280) as browser:
        log_in(browser)
        for path in ['/apps', '/runs', *(f'/apps/{job}' for job in jobs), *(f'/audit?about={job}' for job in jobs), '/projects/digits']:
            browser.open(URL + path)
            time.sleep(0.7)
            made = browser.value('document.querySelectorAll("main script, main img, main iframe, main [onerror]").length')
            wide = browser.value('document.documentElement.scrollWidth')
            wide_one = browser.value('[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > 1290).map((e) => e.tagName + "." + e.className).slice(0, 6).join(" ")')
            if browser.value('typeof window.hacked') != 'undefined' or made or wide > 1280:
                print(f'{path}: {made} elements made of a name, {wide} wide: {wide_one}')
                return 1
        said = [text for text in browser.said if '/api/v1/session' not in text]
        print(f'{len(jobs)} names are text; pages said {said}')
        return 1 if said else 0


def press(browser, text):
    """Clicks the button of this text."""
    named = f'[...document.querySelectorAll("button")].find((b) => b.innerText.trim() === {json.dumps(text)})'
    browser.until(f'{named} !== undefined', 20, f'there is the button {text}')
    browser.value(f'{named}.setAttribute("data-pressed", "")')
    browser.click('[data-pressed]')
    browser.value('document.querySelector("[data-pressed]")?.removeAttribute("data-pressed")')


def choose(browser, jobs):
    """Applications by their boxes, as a pointer reaches them."""
    browser.open(f'{URL}/apps')
    for count, job in enumerate(jobs, 1):
        browser.click(f'input[aria-label="Choose {job}"]')
        browser.until(f'document.querySelector(".bulk b")?.innerText === "{count} chosen"', 20, f'{job} is chosen')


def compare(*jobs):
    """Two that run are chosen and compared on every axis; the bar of the chosen stops both."""
    with Browser() as browser:
        log_in(browser)
        for width in (400, 1280):
            browser.look(width, 900)
            choose(browser, jobs)
        browser.click('.bulk a')
        browser.until('location.pathname === "/compare" && document.querySelector("h1").innerText === "Compare 2 runs"', 20, 'they are compared')
        lines = browser.until(f'{DRAWN} >= 4 && {DRAWN}', 60, 'each has a curve of two metrics')
        for axis in ('Relative step', 'Time', 'Running time', 'Step'):
            press(browser, axis)
            browser.until(f'{DRAWN} >= 4', 20, f'the same over {axis}')
        press(browser, 'Epoch')
        browser.until('document.body.innerText.includes("None of them reports a metric named epoch.")', 20, 'nothing counts epochs')
        press(browser, 'Step')
        table = browser.value('document.querySelector("[role=table][aria-label=\\"Settings and results\\"]").innerText')
        for word in ('lr', '0.1', '0.5', 'loss, best'):
            if word not in table:
                print(f'{word} is not in the table: {table}')
                return 1
        if 'steps' in table:
            print(f'what they have alike is in the table: {table}')
            return 1
        browser.point(f'.chosen a[href="/apps/{jobs[0]}"]')
        browser.until('[...document.querySelectorAll("canvas.above")].some((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v) => v))',
                      20, 'the run that is pointed at comes forward')
        choose(browser, jobs)
        press(browser, 'Stop')
        press(browser, 'Stop 2')
        browser.until('document.body.innerText.includes("2 done.")', 60, 'both are stopped')
        print(f'{lines} lines drawn; pages said {browser.said[1:]}')
    return 0


def renew(folder):
    """What a new build does: files of other names, the old ones gone."""
    hashed = os.path.join(folder, 's')
    names = {name: name.replace('-', '-Z', 1) for name in os.listdir(hashed)}
    for path in [os.path.join(folder, 'index.html'), *(os.path.join(hashed, name) for name in names)]:
        with open(path, encoding='utf-8') as text:
            renewed = text.read()
        for old, new in names.items():
            renewed = renewed.replace(old, new)
        with open(path, 'w', encoding='utf-8') as text:
            text.write(renewed)
    for old, new in names.items():
        os.rename(os.path.join(hashed, old), os.path.join(hashed, new))


def renewed(folder):
    """A page whose code is gone is loaded anew by itself; a second time it says so."""
    with Browser() as browser:
        log_in(browser)
        renew(folder)
        browser.click('a[href="/help"]')
        browser.until('document.querySelector("h1").innerText.startsWith("Help")', 30, 'the other page is there')
        browser.click('a[href="/models"]')
        browser.until('document.querySelector("h1").innerText === "Models"', 30, 'pages follow each other again')
        os.rename(os.path.join(folder, 's'), os.path.join(folder, 'gone'))
        browser.click('a[href="/plans"]')
        browser.until('document.querySelector("h1").innerText === "Not loaded" && document.body.innerText.includes("Load it again")', 30, 'it says that it cannot be loaded')
    return 0


def many(jobs):
    """How long a keystroke in the filter, and a change, take until they are drawn."""
    with Browser() as browser:
        log_in(browser)
        browser.until(f'document.body.innerText.includes("{jobs:,}") || document.body.innerText.includes("{jobs}") || document.querySelectorAll(".row").length >= 50', 120, 'the list is there')
        time.sleep(2)
        took = []
        for letter in 'manymany':
            took.append(browser.value(f'''(async () => {{
              const field = document.querySelector('input[name=filter], input[type=search]');
              const begun = performance.now();
              field.value += {json.dumps(letter)};
              field.dispatchEvent(new InputEvent("input", {{bubbles: true}}));
              {PAINTED}
              return performance.now() - begun; }})()'''))
            time.sleep(0.1)
        browser.value('''(() => { const f = document.querySelector('input[name=filter], input[type=search]'); f.value = "";
                         f.dispatchEvent(new InputEvent("input", {bubbles: true})); })()''')
        changed = []
        for turn in range(5):
            name = f'seen{turn}'
            browser.value(f'''(() => {{ window.seen = new Promise((done) => {{ const look = () => document.body.innerText.includes("{name}") ? done(Date.now()) : setTimeout(look, 20); look(); }}); }})()''')
            begun = time.time()
            subprocess.run(['bsub', '-J', name, '-H', 'true'], check=True, stdout=subprocess.DEVNULL)
            changed.append(browser.value('window.seen') - begun * 1000)
        print(f'keystroke_painted_ms {statistics.median(took):.0f} most {max(took):.0f}')
        print(f'change_painted_ms {statistics.median(changed):.0f} most {max(changed):.0f}')
    return 0


if __name__ == '__main__':
    if sys.argv[1] == 'axe':
        sys.exit(check(sys.argv[2], sys.argv[3:]))
    if sys.argv[1] == 'hostile':
        sys.exit(hostile(*sys.argv[2:]))
    if sys.argv[1] == 'renewed':
        sys.exit(renewed(sys.argv[2]))
    if sys.argv[1] == 'compare':
        sys.exit(compare(*sys.argv[2:]))
    sys.exit(apps(*sys.argv[2:4]) if sys.argv[1] == 'apps' else many(int(sys.argv[2])))

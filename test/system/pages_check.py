"""Role: what 099-web-pages.bats sees in a real browser: every page in both themes under axe-core, and how
fast the list of applications is with 10,000 jobs.

  pages_check.py axe AXE_JS PATH…     serious findings, one a line; exit 1 where there are any
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
sys.path.insert(0, os.path.join(TOP, 'scripts', 'demo.d'))
sys.dont_write_bytecode = True
from browser import Browser, PageFailed  # noqa: E402

URL, KEY = os.environ['WM_GATEWAY_URL'], os.environ['WM_API_KEY']
BARRED = ('serious', 'critical')
RUN = '''axe.run(document, {resultTypes: ["violations"]}).then((found) => JSON.stringify(found.violations.map((v) =>
  ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message || ""))}))))'''
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
                    lines += findings(browser, axe, path, f'{theme}, {width}')
    print('\n'.join(dict.fromkeys(lines)) or f'no serious finding on {len(paths)} pages')
    return 1 if lines else 0


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
    sys.exit(check(sys.argv[2], sys.argv[3:]) if sys.argv[1] == 'axe' else many(int(sys.argv[2])))

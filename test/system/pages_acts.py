"""Role: what 099-web-acts.bats does on the pages in a real browser, as a person would.

  pages_acts.py admin HOST JOB        a host is closed with a reason and opened; a job is put elsewhere; the record tells it
  pages_acts.py config JOB JOB        queues.conf is edited: what is wrong where, what changes, who gains; nothing is written
  pages_acts.py output RUN            all workers' output as one, searched to its end, its error; it goes on from its checkpoint
  pages_acts.py runs RUN RUN          starred, tagged, found again, a setting as a column, one deleted and one refused
  pages_acts.py views PROJECT         a view is kept for oneself and for the members of a project, and found again
  pages_acts.py account               a key is made, shown once, revoked; all sessions end
  pages_acts.py search RUN CODE       its settings become a search, by form; CODE is sent
  pages_acts.py focus RUN             whatever page one goes to, its heading has the focus, also when its data comes late
Environment: as of `minicluster env`. Callers: 099-web-acts.bats.
"""

import getpass
import json
import sys
import time

import pages_check
from pages_check import URL, log_in, press

from browser import Browser  # where it is, pages_check knows

# A field of date and time takes no letters.
TYPED = '(() => {{ const field = document.querySelector("{}"); field.value = "{}"; field.dispatchEvent(new Event("input", {{bubbles: true}})); }})()'
SAID = 'document.body.innerText.includes({})'


def says(browser, words, what=''):
    """Until the page has these words."""
    browser.until(SAID.format(json.dumps(words)), 30, what or f'the page says {words!r}')


def told(browser, selector):
    """The text of the first element."""
    return browser.value(f'document.querySelector({json.dumps(selector)})?.innerText ?? ""')


def admin(host, job):
    """Acts of an administrator, each with what it came to."""
    with Browser(width=1280) as browser:
        log_in(browser)
        browser.open(f'{URL}/cluster')
        says(browser, 'Largest start now')
        browser.open(f'{URL}/cluster/{host}')
        browser.click('[data-do=close-host]')
        browser.click('[data-do=close]')
        says(browser, 'Why, and until when? Users read it.', 'a reason is asked for')
        browser.fill('dialog input[name=why]', 'fan')
        browser.value(TYPED.format('dialog input[name=until]', time.strftime('%Y-%m-%dT23:59')))
        says(browser, f"badmin hclose -drain -C 'fan, until 23:59' {host}")
        browser.click('[data-do=close]')
        says(browser, f'Closed by {getpass.getuser()}: fan, until 23:59', 'it is closed')
        browser.open(f'{URL}/cluster?q=state:aside')
        says(browser, 'Closed')
        browser.open(f'{URL}/audit?about={host}')
        says(browser, 'hclose')
        browser.open(f'{URL}/cluster/{host}')
        browser.click('[data-do=open-host]')
        browser.click('[data-do=close]')
        browser.until('document.querySelector("[data-do=close-host]") !== null', 30, 'it is open again')
        browser.open(f'{URL}/apps/{job}')
        browser.click('[data-do=acts]')
        browser.choose('dialog select[name=verb]', 'switch')
        browser.click('[data-do=act]')
        says(browser, 'To which queue?', 'the queue is asked for at its field')
        browser.choose('dialog select[name=queue]', 'urgent')
        browser.click('[data-do=act]')
        browser.until('document.querySelector("dialog[open]") === null', 30, 'it is moved')
        print(f'pages said {browser.said[1:]}')
    return 0


TYPE = '(() => {{ const t = document.querySelector("textarea.conf"); t.value = {}; t.dispatchEvent(new Event("input", {{bubbles: true}})); }})()'


def config(gains, waits):
    """A file of the configuration, up to the line that would put it in force."""
    with Browser(width=1280) as browser:
        log_in(browser)
        browser.open(f'{URL}/config')
        says(browser, 'badmin ckconfig finds no errors')
        before = browser.value('document.querySelector("textarea.conf").value')
        browser.value(TYPE.format(json.dumps(before.replace('priority', 'priorty', 1))))
        says(browser, "unknown key 'priorty'", 'what is wrong is told')
        press(browser, 'Line 2')
        browser.until('document.activeElement.selectionStart === document.activeElement.value.indexOf("priorty")', 30, 'its line is gone to')
        says(browser, 'What is wrong has to be mended first.')
        browser.value(TYPE.format(json.dumps(before.replace('priority = 90', 'priority = 10'))))
        says(browser, 'queues.conf: [urgent] priority: 90 -> 10', 'what it changes is told by key')
        says(browser, '1 line new, 1 gone', 'and by line')
        browser.click('[data-do=preview]')
        says(browser, 'would start earlier', 'the scheduler has looked ahead')
        for job, word in ((gains, 'earlier'), (waits, 'later')):
            row = f'[...document.querySelectorAll("[role=row]")].find((row) => row.querySelector(\'a[href="/apps/{job}"]\'))?.innerText ?? ""'
            browser.until(f'({row}).includes("{word}")', 30, f'job {job} starts {word}')
        says(browser, 'badmin ckconfig && badmin reconfig --diff')
        browser.open(f'{URL}/config')
        says(browser, '1 line new, 1 gone', 'the draft is kept')
        browser.click('[data-do=discard]')
        says(browser, 'Nothing yet')
        print(f'pages said {browser.said[1:]}')
    return 0


def output(run):
    """What the workers of a run wrote, and the run once more."""
    with Browser(width=1280) as browser:
        log_in(browser)
        browser.open(f'{URL}/apps/{run}')
        browser.click('[data-choice="worker--1"]')
        for rank in (0, 1):
            browser.until(f'document.querySelector("#merged")?.innerText.includes("step 19999 of rank {rank}")', 30, f'the end of rank {rank} is there')
        browser.click('[data-do=errors]')
        says(browser, 'ValueError: no more of this', 'the error is found')
        browser.click('.found li:last-child button')
        browser.until('getSelection().toString().includes("no more of this")', 30, 'its line is gone to')
        browser.click('[data-choice="worker-1"]')
        press(browser, 'stdout')
        browser.until('document.querySelector("#log")?.innerText.includes("of rank")', 30, 'the output of the first worker is there')
        browser.fill('.logbar input[type=search]', 'needle')
        says(browser, '0 found in what is loaded', 'it is not in the end of the file')
        browser.click('[data-do=search-all]')
        says(browser, '1 line with “needle”.', 'it is found in the whole')
        browser.click('.found li button')
        browser.until('getSelection().toString() === "a needle"', 30, 'it is gone to')
        says(browser, 'Load what follows')
        browser.click('[data-do=again-open]')
        says(browser, 'it goes on from this one', 'its checkpoint is listed')
        words = browser.value('document.querySelector("#f-args").value')
        browser.fill('#f-args', words.replace('--fails', '--works'))
        browser.click('[data-do=again]')
        browser.until(f'/^\\/apps\\/\\d+$/.test(location.pathname) && location.pathname !== "/apps/{run}"', 30, 'another run has begun')
        print('began', browser.value('location.pathname').split('/')[-1])
        print(f'pages said {browser.said[1:]}')
    return 0


def runs(first, second):
    """What is kept of runs, and what comes of an act for each of several."""
    with Browser(width=1280) as browser:
        log_in(browser)
        browser.open(f'{URL}/runs')
        browser.click(f'[aria-label="Star {first}"]')
        browser.until(f'document.querySelector(\'[aria-label="Star {first}"]\')?.getAttribute("aria-pressed") === "true"', 30, 'it has a star')
        browser.open(f'{URL}/runs?q=is:starred')
        browser.until('document.querySelectorAll(".runs .rows .row").length === 1', 30, 'it alone is found by its star')
        browser.open(f'{URL}/runs?cols=s:lr')
        says(browser, '0.25', 'the setting is a column')
        browser.value('globalThis.prompt = () => "paper"')
        for run in (first, second):
            browser.click(f'[aria-label="Choose {run}"]')
        press(browser, 'Tag')
        says(browser, '2 done.')
        browser.open(f'{URL}/runs?q=tag:paper')
        browser.until('document.querySelectorAll(".runs .rows .row").length === 2', 30, 'both are found by the tag')
        for run in (first, second):
            browser.click(f'[aria-label="Choose {run}"]')
        press(browser, 'Delete')
        press(browser, 'Delete 2')
        says(browser, '1 done.', 'the one that has ended goes')
        says(browser, f'{second}: run {second} has not ended: stop it first', 'the other is refused with why')
        print(f'pages said {[text for text in browser.said[1:] if "409" not in text]}')
    return 0


def views(project):
    """Views of runs, by name."""
    with Browser(width=1280) as browser:
        log_in(browser)
        browser.open(f'{URL}/runs?q=state:failed')
        for name, where in (('my failures', ''), ('ours', project)):
            browser.click('[data-do=view]')
            browser.until('document.querySelector("#view[open]") !== null', 30, 'a name is asked for')
            browser.fill('#view-name', name)
            browser.choose('#view select', where)
            browser.click('[data-do=keep-view]')
            browser.until(f'[...document.querySelectorAll(".chip a")].some((a) => a.innerText.startsWith({json.dumps(name)}))', 30, f'{name} is kept')
        browser.open(f'{URL}/runs')
        browser.until('[...document.querySelectorAll(".chip a")].length === 2', 30, 'both are there again')
        browser.value('[...document.querySelectorAll(".chip a")].find((a) => a.innerText === "my failures").click()')
        browser.until('location.search.includes("state")', 30, 'it leads to what was kept')
        print(f'pages said {browser.said[1:]}')
    return 0


def account():
    """A key, from its making to its end."""
    with Browser(width=1280) as browser:
        log_in(browser)
        browser.open(f'{URL}/account')
        press(browser, 'Make it')
        says(browser, 'A name of letters, digits, dots and dashes is wanted.')
        browser.fill('input[name=name]', 'laptop')
        press(browser, 'Make it')
        browser.until('document.querySelector("#secret")?.innerText.startsWith("wmkey_")', 30, 'its secret is shown')
        browser.fill('input[name=name]', 'laptop')
        press(browser, 'Make it')
        says(browser, 'there is a key laptop already', 'a second of its name is refused')
        browser.open(f'{URL}/account')
        says(browser, 'laptop')
        if browser.value('document.querySelector("#secret") !== null'):
            print('the secret is shown again')
            return 1
        press(browser, 'Revoke')
        press(browser, 'Revoke it')
        says(browser, 'No key yet.', 'it is gone')
        browser.click('[data-do=end-all]')
        press(browser, 'End them')
        browser.until('document.querySelector("h1").innerText === "Log in"', 30, 'nobody is logged on any more')
    return 0


def search(run, code):
    """From a run to a search around its settings, what is wanting told at its field."""
    with Browser(width=1280) as browser:
        log_in(browser)
        browser.open(f'{URL}/apps/{run}')
        browser.click(f'a[href="/new/search?from={run}"]')
        browser.until('document.querySelector("input[name=param]")?.value === "lr"', 30, 'its setting is a parameter')
        browser.fill('input[name=name]', 'around')
        browser.fill('input[name=trials]', 'many')
        press(browser, 'Start the search')
        says(browser, 'A number from 1 is wanted.')
        says(browser, 'Which code? A zip, a tar, or one script.')
        browser.fill('input[name=trials]', '2')
        browser.attach('input[name=code]', code)
        while browser.value('document.querySelectorAll("input[name=param]").length') > 1:
            browser.click('fieldset.param:last-of-type button')
        press(browser, 'Start the search')
        browser.until('location.pathname === "/searches/around" && document.querySelector("h1").innerText.startsWith("around")', 60, 'the search is there')
        print(f'pages said {browser.said[1:]}')
    return 0


def focus(run):
    """Whoever does not see the page hears where it is."""
    with Browser(width=1280) as browser:
        log_in(browser)
        for path in ['/runs', '/cluster', '/plans', '/usage', '/account', '/help', '/apps']:
            browser.click(f'nav a[href="{path}"]')
            browser.until(f'location.pathname === "{path}" && document.activeElement.tagName === "H1"', 30, f'{path}: its heading has the focus')
        browser.click(f'a[href="/apps/{run}"]')
        browser.until('document.querySelector("#h-r") !== null && document.activeElement.tagName === "H1"', 30, 'so has that of a run when it has come')
        if told(browser, 'h1') == run:
            print('the heading is that of a page without data')
            return 1
    return 0


SCENES = {'admin': admin, 'config': config, 'output': output, 'views': views, 'runs': runs, 'account': account, 'search': search, 'focus': focus}
if __name__ == '__main__':
    assert pages_check.TOP
    sys.exit(SCENES[sys.argv[1]](*sys.argv[2:]))

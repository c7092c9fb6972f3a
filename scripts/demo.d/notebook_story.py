"""Role: the notebook of the web demo: started by a click, opened on its own origin, two cells in Jupyter's own
page, then forgotten: warned, ended, and what it computed is still there.

  Notebooks page ─Start─► job ─Open─► Jupyter: 6*7, a torch tensor ─► idle: warned ─► ended, exit code 0
Callers: web_story.py.
"""

import os
import shutil

from browser import PageFailed

LIMIT_S = {'page': 60, 'start': 300, 'cell': 180, 'idle': int(os.environ.get('DEMO_IDLE_LIMIT_S', 180))}
TENSOR = 'import torch; torch.arange(6).reshape(2, 3).sum()'


def tell(story, browser, sabotage):
    """The scene, from the Notebooks page and back to it. @errors PageFailed: what did not happen"""
    if not shutil.which('jupyter-notebook'):
        raise PageFailed('no jupyter-notebook on this machine: run scripts/bootstrap')
    job = start(story, browser)
    use(story, browser, job, sabotage)
    forget(story, browser, job)


def start(story, browser):
    """A click; the job's number."""
    browser.open(f'{story.url}/notebooks')
    browser.fill('input[name=name]', 'explore')
    browser.fill('input[name=gpus]', '1')
    story.picture(browser, 'notebooks-form')
    browser.click('#start button.pri')
    job = browser.until('document.querySelector(".notebook[data-id]")?.dataset.id', LIMIT_S['page'], 'the notebook is listed')
    browser.until('document.querySelector(".notebook .pill")?.innerText === "Ready"', LIMIT_S['start'], 'the notebook is ready')
    story.happened(f'ann starts notebook {job} with a click, on a GPU')
    story.picture(browser, 'notebook-ready')
    return job


def use(story, browser, job, sabotage):
    """In Jupyter's own pages, which see no cookie of ours."""
    apps, said = story.env['WM_APPS_URL'], list(browser.said)
    browser.click('.notebook [data-do=open]')
    browser.tab(f'{apps}/{job}/')
    browser.until('document.querySelector("#notebook_list") !== null', LIMIT_S['page'], 'Jupyter lists the folder')
    if 'wm' in browser.value('document.cookie'):
        raise PageFailed(f'a cookie of the door is seen in the notebook: {browser.value("document.cookie")}')
    path = browser.value(f'fetch("/{job}/api/contents", {{method: "POST", body: JSON.stringify({{type: "notebook"}}), '
                         'headers: {"X-XSRFToken": document.cookie.match(/_xsrf=([^;]*)/)[1]}}).then((r) => r.json()).then((n) => n.path)')
    browser.go(f'{apps}/{job}/notebooks/{path}?kernel_name=python3')
    browser.until('Jupyter.notebook.kernel.is_connected()', LIMIT_S['start'], 'its kernel is connected, over a WebSocket')
    cell(browser, 0, '6*7', '42')
    cell(browser, 1, TENSOR, 'tensor(15)')
    story.happened('its kernel says 6*7 is 42, and the tensor is tensor(15)')
    browser.until('Jupyter.notebook.save_checkpoint() || true', LIMIT_S['page'])
    story.picture(browser, 'notebook-jupyter')
    browser.said = said  # what Jupyter's own pages complain of is not ours
    if sabotage == 'busy-notebook':
        browser.value('Jupyter.notebook.get_cell(2).set_text("while True: pass"), Jupyter.notebook.get_cell(2).execute(), 1')


def cell(browser, number, code, wanted):
    """Writes a cell, runs it as the keys would, waits for what it is."""
    browser.value(f'Jupyter.notebook.select({number}), Jupyter.notebook.get_cell({number}).set_text({code!r}), Jupyter.notebook.execute_cell_and_select_below(), 1')
    browser.until(f'Jupyter.notebook.get_cell({number}).element.find(".output_area").text().includes({wanted!r})', LIMIT_S['cell'], f'{code} is {wanted}')


def forget(story, browser, job):
    """Nobody uses it: its page, which stays open, does not count."""
    browser.tab(f'{story.url}/notebooks')
    browser.until('document.querySelector(".notebook .pill")?.innerText === "Idle"', LIMIT_S['idle'], 'the notebook is warned')
    story.happened('it is idle, and its card says when it stops')
    story.picture(browser, 'notebook-warned')
    browser.until('document.querySelector(".notebook .pill")?.innerText === "Stopped, idle"', LIMIT_S['idle'], 'the notebook is ended')
    story.until('bjobs says that it finished', lambda: story.jobs()[job]['WM_STATE'] == 'finished', LIMIT_S['page'])
    story.picture(browser, 'notebook-stopped')

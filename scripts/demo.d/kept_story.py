"""Role: what is left of a run when the master has forgotten its job and every daemon was started anew: all of it.

  clean_period = 10s ─► bjobs: not found ─► master, door, hosts killed and started ─► the run's page: curves, log, results
  ─► found by what it was given ─► bhist and bacct know it
Callers: web_story.py.
"""

import json
import os
import subprocess

from browser import PageFailed

LIMIT_S = {'page': 60, 'forgotten': 120, 'up': 120}


def is_forgotten(story, job):
    """As LSF says it of jobs that ended a while ago."""
    said = subprocess.run(['bjobs', job], env=story.env, capture_output=True, text=True, check=False)
    return said.returncode == 255 and 'is not found' in said.stderr


def forget_soon(story):
    """The site keeps ended jobs for ten seconds from now on."""
    with open(os.path.join(story.env['WM_CONF_DIR'], 'wm.conf'), 'a', encoding='utf-8') as conf:
        conf.write('\n[times]\nclean_period = 10s\n')
    story.run('badmin', 'reconfig')


def restart(story):
    """Every daemon, as at an upgrade."""
    hosts = story.cluster.nodes()
    for name in ('wuserd', 'wgatewayd', 'wmasterd', *hosts):
        story.cluster.kill([name], 9)
    for name in ('wmasterd', *hosts, 'wgatewayd'):
        story.cluster.start(name)


def tell(story, browser, job):
    """The scene. @param job a run that has ended well @errors PageFailed: what did not happen"""
    forget_soon(story)
    story.until(f'bjobs knows no job {job} any more', lambda: is_forgotten(story, job), LIMIT_S['forgotten'])
    restart(story)
    story.happened('every daemon was killed and started again')
    browser.open(f'{story.url}/apps/{job}')
    browser.until('[...document.querySelectorAll(".uplot")].some((plot) => Number(plot.dataset.drawn) > 0)', LIMIT_S['up'],
                  'the run\'s page draws its curves')
    browser.until('document.querySelector("a[href$=\'result.zip\']") !== null', LIMIT_S['page'], 'its results can be downloaded')
    story.picture(browser, 'kept-run')
    found = [run['id'] for run in json.loads(story.curl('/api/v1/runs?type=training&state=finished&text=steps'))['runs']]
    if job not in found:
        raise PageFailed(f'/api/v1/runs does not find run {job}: {found}')
    story.run('bhist', '-l', job)
    story.run('bacct', '-l', job)
    story.happened(f'run {job} is there as before: page, curves, log, results, bhist, bacct')

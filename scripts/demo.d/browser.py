"""Role: drives Debian's headless chromium over its debugging pipe, with Python's own library alone:
pages are opened, waited for, clicked, filled and photographed.

  pipe 3 ─► chromium ─► pipe 4: JSON messages that a zero byte ends
Callers: scripts/demo-web.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from cluster import processes


class PageFailed(Exception):
    """What a page did not do."""


class Browser:
    """One window. Used as a context manager: the browser ends with it."""

    def __init__(self, width=1280, height=900, scheme='light', flags=()):
        self._profile = tempfile.mkdtemp(prefix='wm-chromium.')
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_read, to_write)]

        def as_3_and_4():
            for number, end in enumerate(high, 3):
                os.dup2(end, number)

        self._process = subprocess.Popen(
            [program(), '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--ignore-certificate-errors',
             '--remote-debugging-pipe', f'--user-data-dir={self._profile}', f'--window-size={width},{height}', *flags, 'about:blank'],
            env={**os.environ, 'HOME': self._profile, 'TMPDIR': self._profile, 'XDG_CONFIG_HOME': self._profile}, preexec_fn=as_3_and_4, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in high:
            os.close(end)
        os.close(to_read)
        os.close(to_write)
        self._number, self._held, self.said = 0, b'', []
        self._session = None
        target = self._ask('Target.createTarget', {'url': 'about:blank'})['targetId']
        self._size = (width, height, scheme)
        self._attach(target)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        processes.end(self._left)
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _left(self):
        """Processes that outlive it: its crash handlers left its session."""
        return {pid for pid in processes.every() if processes.environment(pid).get('TMPDIR') == self._profile}

    # ---- messages ------------------------------------------------------------------------

    def _ask(self, method, params=None, limit_s=120):
        self._number += 1
        message = {'id': self._number, 'method': method, 'params': params or {}}
        if getattr(self, '_session', None):
            message['sessionId'] = self._session
        try:
            os.write(self._to, json.dumps(message).encode() + b'\0')
        except OSError as problem:
            raise PageFailed(f'the browser is gone: {problem}') from None
        deadline = time.monotonic() + limit_s
        while True:
            answer = self._next(deadline)
            if answer.get('id') == self._number:
                if 'error' in answer:
                    raise PageFailed(f'{method}: {answer["error"].get("message")}')
                return answer['result']

    def _next(self, deadline):
        while b'\0' not in self._held:
            ready, _, _ = select.select([self._from], [], [], max(0, deadline - time.monotonic()))
            block = os.read(self._from, 1 << 20) if ready else b''
            if not block:
                raise PageFailed('the browser does not answer')
            self._held += block
        message, _, self._held = self._held.partition(b'\0')
        message = json.loads(message)
        self._note(message)
        return message

    def _note(self, message):
        """Keeps what pages complain of: a refused script, a broken promise, an exception."""
        params = message.get('params', {})
        if message.get('method') == 'Runtime.exceptionThrown':
            details = params['exceptionDetails']
            self.said.append(details.get('exception', {}).get('description') or details.get('text'))
        if message.get('method') == 'Log.entryAdded' and params['entry']['level'] == 'error':
            self.said.append(f'{params["entry"]["text"]} {params["entry"].get("url", "")}')

    def _attach(self, target):
        """From now on what is said is said to this tab."""
        self._session = None
        self._session = self._ask('Target.attachToTarget', {'targetId': target, 'flatten': True})['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'DOM'):
            self._ask(f'{domain}.enable')
        self.look(*self._size)

    def tab(self, start, limit_s=120):
        """Goes to the tab whose address starts so, as soon as there is one."""
        session, self._session = self._session, None
        deadline = time.monotonic() + limit_s
        while True:
            tabs = [t for t in self._ask('Target.getTargets')['targetInfos'] if t['type'] == 'page' and t['url'].startswith(start)]
            if tabs:
                self._attach(tabs[0]['targetId'])
                self._ask('Page.bringToFront')  # one that is not seen draws nothing
                return
            if time.monotonic() > deadline:
                self._session = session
                raise PageFailed(f'not within {limit_s} s: a tab at {start}; the page says: {self.text()[:600]}')
            time.sleep(0.1)

    # ---- what a person does ----------------------------------------------------------------

    def look(self, width, height, scheme='light'):
        """Size of the window and the wish for light or dark."""
        self._ask('Emulation.setDeviceMetricsOverride', {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False})
        self._ask('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})

    def open(self, url):
        """Goes to an address; returns when the page has drawn something."""
        self.value('window.left = true')  # the page before may still be there for a moment
        self._ask('Page.navigate', {'url': url})
        self.until('!window.left && document.readyState === "complete" && document.querySelector("h1") !== null', 20, f'{url} shows something')

    def go(self, url):
        """Goes to an address whose page is not ours."""
        self._ask('Page.navigate', {'url': url})

    def value(self, expression):
        """What an expression is on the page."""
        answer = self._ask('Runtime.evaluate', {'expression': expression, 'returnByValue': True, 'awaitPromise': True})
        if 'exceptionDetails' in answer:
            raise PageFailed(f'{expression}: {answer["exceptionDetails"].get("exception", {}).get("description")}')
        return answer['result'].get('value')

    def until(self, expression, limit_s, what=''):
        """Waits until an expression is true; its value."""
        deadline = time.monotonic() + limit_s
        while True:
            value = self.value(f'(() => {{ try {{ return {expression}; }} catch {{ return false; }} }})()')
            if value:
                return value
            if time.monotonic() > deadline:
                raise PageFailed(f'not within {limit_s} s: {what or expression}; the page says: {self.text()[:600]}')
            time.sleep(0.1)

    def text(self):
        """All that the page says."""
        return self.value('document.body.innerText') or ''

    def click(self, selector):
        """Clicks the middle of the first element that fits."""
        name = json.dumps(selector)
        self.until(f'document.querySelector({name}) !== null', 10, f'there is {selector}')
        box = self._still(name)
        for kind in ('mousePressed', 'mouseReleased'):
            self._ask('Input.dispatchMouseEvent', {'type': kind, 'x': box[0], 'y': box[1], 'button': 'left', 'clickCount': 1})

    def point(self, selector):
        """Moves the pointer over the middle of the first element that fits."""
        box = self._still(json.dumps(selector))
        self._ask('Input.dispatchMouseEvent', {'type': 'mouseMoved', 'x': box[0], 'y': box[1]})

    def _still(self, name, limit_s=5):
        """The middle of an element in sight, once it has stayed where it is: what is above it may still be drawn."""
        middle = (f'(() => {{ const e = document.querySelector({name}); if (!e) return null; e.scrollIntoView({{block: "center"}}); '
                  'const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()')
        deadline, box = time.monotonic() + limit_s, self.value(middle)
        while time.monotonic() < deadline:
            time.sleep(0.1)
            before, box = box, self.value(middle)
            if box and box == before:
                break
        if box is None:
            raise PageFailed(f'{name} is gone again')
        return box

    def drag(self, selector, points):
        """Presses at the first of some points of an element, moves over the others, lets go."""
        name = json.dumps(selector)
        self.until(f'document.querySelector({name}) !== null', 10, f'there is {selector}')
        left, top = self.value(f'(() => {{ const e = document.querySelector({name}); e.scrollIntoView({{block: "center"}}); const b = e.getBoundingClientRect(); return [b.x, b.y]; }})()')
        kinds = ['mousePressed'] + ['mouseMoved'] * (len(points) - 1) + ['mouseReleased']
        for kind, (x, y) in zip(kinds, [*points, points[-1]]):
            self._ask('Input.dispatchMouseEvent', {'type': kind, 'x': left + x, 'y': top + y, 'button': 'left', 'buttons': 1, 'clickCount': 1})

    def fill(self, selector, text):
        """Replaces what a field holds, key by key."""
        name = json.dumps(selector)
        self.until(f'document.querySelector({name}) !== null && !document.querySelector({name}).disabled', 10, f'there is {selector} to be filled')
        self.value(f'(() => {{ const e = document.querySelector({name}); e.focus(); e.select?.(); }})()')
        self._ask('Input.insertText', {'text': text})

    def choose(self, selector, value):
        """Chooses an option."""
        self.value(f'(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)}; '
                   'e.dispatchEvent(new Event("change", {bubbles: true})); })()')

    def attach(self, selector, path):
        """Gives a file to a file field."""
        self.until(f'document.querySelector({json.dumps(selector)}) !== null', 10, f'there is {selector}')
        root = self._ask('DOM.getDocument')['root']['nodeId']
        node = self._ask('DOM.querySelector', {'nodeId': root, 'selector': selector})['nodeId']
        self._ask('DOM.setFileInputFiles', {'nodeId': node, 'files': [path]})

    def picture(self, path, whole=True):
        """A screenshot as a PNG, from the top."""
        self.value('window.scrollTo(0, 0)')
        shot = self._ask('Page.captureScreenshot', {'format': 'png', 'captureBeyondViewport': whole,
                                                    **({'clip': self._whole()} if whole else {})})
        with open(path, 'wb') as out:
            out.write(base64.b64decode(shot['data']))

    def _whole(self):
        size = self._ask('Page.getLayoutMetrics')['cssContentSize']
        return {'x': 0, 'y': 0, 'width': size['width'], 'height': min(size['height'], 4000), 'scale': 1}


def program():
    """The browser's program."""
    found = shutil.which('chromium')
    if not found:
        raise PageFailed('no chromium on this machine: run scripts/bootstrap web')
    return found

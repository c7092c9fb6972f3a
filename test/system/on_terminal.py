#!/usr/bin/env python3
"""Role: a person at a terminal, for tests of interactive jobs.

  on_terminal.py [STEP…] -- CMD…

CMD runs on a terminal of its own; the steps are played in order: expect:TEXT waits (60 s) until
it is on the screen, send:TEXT types (\\n, \\x03 … are understood), size:RxC resizes the window,
exec:COMMAND has a shell do something meanwhile, eof ends the typing. Then all output is read to its end. The screen goes to stdout.
Exit: CMD's code (128 + signal), or 99 when an expected text did not come.
"""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

PATIENCE = 60


class Screen:
    """What CMD has written, and what of it was not yet expected."""

    def __init__(self, fd):
        self.fd, self.text, self.ended = fd, b'', False

    def read(self, seconds):
        """More text, if any comes in time."""
        if self.ended or not select.select([self.fd], [], [], seconds)[0]:
            return
        try:
            part = os.read(self.fd, 65536)
        except OSError:
            part = b''
        self.ended = not part
        self.text += part
        sys.stdout.buffer.write(part)
        sys.stdout.flush()

    def expect(self, text):
        """True once it is there; what came before it is forgotten."""
        end = time.monotonic() + PATIENCE
        while text not in self.text:
            if self.ended or time.monotonic() > end:
                return False
            self.read(0.2)
        self.text = self.text[self.text.index(text) + len(text):]
        return True


def resize(fd, size):
    """ROWSxCOLUMNS."""
    rows, columns = map(int, size.split('x'))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))


def play(screen, step):
    """One step; False: what it waits for did not come."""
    kind, _, rest = step.partition(':')
    words = rest.encode().decode('unicode_escape').encode('latin-1')
    if kind == 'expect':
        return screen.expect(words)
    if kind == 'send':
        os.write(screen.fd, words)
    elif kind == 'exec':
        subprocess.run(rest, shell=True, check=True)
    elif kind == 'size':
        resize(screen.fd, rest)
    elif kind == 'eof':
        os.write(screen.fd, b'\x04')
    return True


def main():
    """Forks, plays, waits."""
    cut = sys.argv.index('--')
    steps, command = sys.argv[1:cut], sys.argv[cut + 1:]
    first = steps.pop(0)[5:] if steps and steps[0].startswith('size:') else ''
    pid, fd = pty.fork()
    if pid == 0:
        if first:  # by the time CMD asks for it
            resize(0, first)
        os.execvp(command[0], command)
    screen = Screen(fd)
    for step in steps:
        if not play(screen, step):
            print(f'\n{step}: did not come', file=sys.stderr)
            os.kill(pid, 9)
            return 99
    while not screen.ended:
        screen.read(1)
    status = os.waitpid(pid, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


sys.exit(main())

#!/usr/bin/python3 -I
"""wm-curves: the curves of trainings as a page: what they reported of themselves, run by run, while they run.

usage: wm-curves [--socket PATH | --port N] [FOLDER]

FOLDER has a folder for each run, by default those of one's jobs ($RESULT_DIR/..). It serves at PATH (mode 0600), by
default $WM_WEB_SOCKET, or at a port of the loopback address. `bsub -app notebook wm-notebook --strip wm-curves`
puts it behind the web door.

  FOLDER/RUN/**/evaluation-metrics.txt   emetrics          FOLDER/RUN/**/steps.csv              steps per second
  FOLDER/RUN/**/val_dict_list.json       results           FOLDER/RUN/**/events.out.tfevents.*  scalars of TensorBoard

Invariants: files are read only; one that is being written is read as far as it goes; pages have no script.
"""

import csv
import html
import http.server
import json
import math
import os
import socketserver
import struct
import sys
import urllib.parse

MOST_POINTS, MOST_RUNS, MOST_BYTES = 400, 200, 64 << 20
COLOURS = ('#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf', '#8c564b', '#e377c2')
WIDTH, HEIGHT, LEFT, BOTTOM = 480, 240, 60, 24


# ---- files to series: {name: [(step, value)]} -----------------------------------------------


def number(value):
    """A finite number, or None."""
    try:
        read = float(value)
    except (TypeError, ValueError):
        return None
    return read if math.isfinite(read) else None


def add(series, name, step, value):
    """One point, if it is one."""
    step, value = number(step), number(value)
    if step is not None and value is not None:
        series.setdefault(str(name), []).append((step, value))


def of_emetrics(text, series):
    """Lines of JSON; one that is half written is passed over."""
    for line in text.splitlines():
        try:
            item = json.loads(line)
            step = item['etimes']['iteration']['value']
            for name, value in item['values'].items():
                add(series, f"{item.get('grouplabel', '')}/{name}".strip('/'), step, value['value'])
        except (ValueError, KeyError, TypeError, AttributeError):
            continue


def of_results(text, series):
    """A list of objects with a step each."""
    try:
        items = json.loads(text)
    except ValueError:
        return
    for index, item in enumerate(items if isinstance(items, list) else []):
        if not isinstance(item, dict):
            continue
        steps = [item[key] for key in ('steps', 'step', 'epoch') if key in item]
        for name, value in item.items():
            if name not in ('steps', 'step', 'epoch'):
                add(series, name, steps[0] if steps else index + 1, value)


def of_steps(text, series):
    """Steps per second, of each hundredth of the way."""
    rows = [(number(row.get('step')), number(row.get('t_end'))) for row in csv.DictReader(text.splitlines())]
    rows = [row for row in rows if None not in row]
    stride = max(1, len(rows) // 100)
    for before, after in zip(rows[::stride], rows[stride::stride]):
        if after[1] > before[1]:
            add(series, 'steps per second', after[0], (after[0] - before[0]) * 1e9 / (after[1] - before[1]))


def fields(data):
    """(number, value) of a protocol buffer's fields; values are ints or bytes. @raises IndexError, ValueError"""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(tag & 7)
        if tag & 7 == 2:
            size = varint()
        if size is None or at + size > len(data):
            raise ValueError('damaged')
        yield tag >> 3, data[at:at + size]
        at += size


# dtype of a tensor.proto → its struct format, and the field that has its values where field 4, the whole, is not there
REAL_TYPES = {1: ('<f', 5), 2: ('<d', 6)}


def of_tensor(data):
    """The value of a tensor of one real number, as TensorFlow 2 and Keras write scalars; None of any other.
    @raises IndexError, ValueError"""
    tensor = dict(fields(data))
    if tensor.get(1) not in REAL_TYPES or tensor.get(2):  # a shape: it is no scalar
        return None
    form, field = REAL_TYPES[tensor[1]]
    value = tensor.get(4, tensor.get(field))
    if value is None:  # zeros need not be written
        return 0.0
    return struct.unpack(form, value)[0] if isinstance(value, bytes) and len(value) == struct.calcsize(form) else None


def of_event(data, series):
    """An event of TensorBoard: its scalars."""
    event = dict(fields(data))
    step = event.get(2, 0)
    for number_, value in fields(event.get(5, b'')):
        if number_ != 1:
            continue
        scalar = dict(fields(value))
        read = None
        if isinstance(scalar.get(2), bytes) and len(scalar[2]) == 4:
            read = struct.unpack('<f', scalar[2])[0]
        elif isinstance(scalar.get(8), bytes):
            read = of_tensor(scalar[8])
        add(series, scalar.get(1, b'').decode('utf-8', 'replace'), step, read)


def of_events(data, series):
    """A file of records: length, its checksum, data, its checksum."""
    at = 0
    while at + 12 <= len(data):
        size = struct.unpack_from('<Q', data, at)[0]
        if at + 16 + size > len(data):
            return
        try:
            of_event(data[at + 12:at + 12 + size], series)
        except (IndexError, ValueError):
            pass
        at += 16 + size


READERS = {'evaluation-metrics.txt': of_emetrics, 'val_dict_list.json': of_results, 'steps.csv': of_steps}


def series_of(folder):
    """All that a run reported, its files in order of their names."""
    series = {}
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            reader = of_events if name.startswith('events.out.tfevents') else READERS.get(name)
            if reader is None:
                continue
            try:
                with open(os.path.join(where, name), 'rb') as file:
                    data = file.read(MOST_BYTES)
            except OSError:
                continue
            reader(data if reader is of_events else data.decode('utf-8', 'replace'), series)
    return {name: thinned(sorted(points)) for name, points in sorted(series.items())}


def thinned(points):
    """No more than MOST_POINTS, with the least and greatest of what stands for several."""
    if len(points) <= MOST_POINTS:
        return points
    stride = math.ceil(2 * len(points) / MOST_POINTS)
    kept = []
    for at in range(0, len(points), stride):
        part = points[at:at + stride]
        kept += sorted({min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])})
    return kept


def runs_of(folder):
    """Names of runs, those that were changed last first."""
    try:
        found = [entry for entry in os.scandir(folder) if entry.is_dir() and not entry.name.startswith('.')]
    except OSError:
        return []
    found.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
    return [entry.name for entry in found[:MOST_RUNS]]


# ---- pages ----------------------------------------------------------------------------------


STYLE = '''body{font:14px system-ui,sans-serif;margin:1.5em;background:#fff;color:#222}a{color:inherit}
figure{display:inline-block;margin:0 1em 1em 0}svg text{fill:currentColor;font-size:11px}.off{opacity:.6}
path.axis{stroke:currentColor;opacity:.4;fill:none}@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}}'''


def short(value):
    """A number as short as it reads."""
    return f'{value:.4g}'


def chart(name, curves):
    """One metric as SVG; `curves`: [(run, colour, points)]."""
    points = [p for _, _, curve in curves for p in curve]
    (x0, x1), (y0, y1) = [(min(axis), max(axis)) for axis in zip(*points)]
    x1, y1 = x1 if x1 > x0 else x0 + 1, y1 if y1 > y0 else y0 + (abs(y0) or 1)

    def at(point):
        x = LEFT + (point[0] - x0) / (x1 - x0) * (WIDTH - LEFT - 8)
        y = 8 + (y1 - point[1]) / (y1 - y0) * (HEIGHT - BOTTOM - 16)
        return f'{x:.1f},{y:.1f}'

    floor = HEIGHT - BOTTOM
    lines = ''.join(
        f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{" ".join(at(p) for p in curve)}">'
        f'<title>{html.escape(run)}: {short(curve[-1][1])} at {short(curve[-1][0])}</title></polyline>' for run, colour, curve in curves)
    return (f'<figure><figcaption>{html.escape(name)}: {", ".join(short(c[-1][1]) for _, _, c in curves)}</figcaption>'
            f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{html.escape(name, quote=True)}">'
            f'<path class="axis" d="M{LEFT} 8V{floor}H{WIDTH - 8}"/>{lines}'
            f'<text x="{LEFT - 4}" y="16" text-anchor="end">{short(y1)}</text><text x="{LEFT - 4}" y="{floor}" text-anchor="end">{short(y0)}</text>'
            f'<text x="{LEFT}" y="{HEIGHT - 8}">{short(x0)}</text><text x="{WIDTH - 8}" y="{HEIGHT - 8}" text-anchor="end">{short(x1)}</text>'
            '</svg></figure>')


def page(folder, chosen):
    """The whole page: runs to choose from, a chart for each metric."""
    runs = runs_of(folder)
    chosen = [run for run in chosen if run in runs][:len(COLOURS)] or runs[:1]
    told = {run: series_of(os.path.join(folder, run)) for run in chosen}
    names = sorted({name for series in told.values() for name in series})
    charts = [chart(name, [(run, COLOURS[i], told[run][name]) for i, run in enumerate(chosen) if name in told[run]]) for name in names]

    def link(run):
        others = [r for r in chosen if r != run] + ([] if run in chosen else [run])
        mark = f'style="color:{COLOURS[chosen.index(run)]}"' if run in chosen else 'class="off"'
        return f'<a {mark} href="?{html.escape(urllib.parse.urlencode([("run", r) for r in others]))}">{html.escape(run)}</a>'

    return ('<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="10"><title>curves</title>'
            f'<style>{STYLE}</style><h1>Curves</h1><p>Runs, the newest first: {" ".join(link(run) for run in runs) or "none"}</p>'
            + (''.join(charts) or '<p>Nothing was reported there yet.</p>'))


class Handler(http.server.BaseHTTPRequestHandler):
    """GET of the page; `server.folder` is what it shows."""

    def do_GET(self):  # noqa: N802 the name that the library calls
        """Answers."""
        target = urllib.parse.urlsplit(self.path)
        known = target.path == '/'
        chosen = urllib.parse.parse_qs(target.query).get('run', [])
        body = (page(self.server.folder, chosen) if known else 'not here').encode('utf-8', 'replace')
        self.send_response(200 if known else 404)
        self.send_header('Content-Type', 'text/html; charset=utf-8' if known else 'text/plain')
        self.send_header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        """A unix socket has none."""
        return 'page'

    def log_message(self, format, *args):  # noqa: A002
        """Nothing: what is looked at is nobody's business."""


class AtSocket(socketserver.ThreadingUnixStreamServer):
    """A server at a path of mode 0600."""

    daemon_threads = True

    def server_bind(self):
        """Binds, for the owner alone."""
        mask = os.umask(0o177)
        try:
            super().server_bind()
        finally:
            os.umask(mask)


def main(words):
    """Reads the words and serves."""
    socket, port = os.environ.get('WM_WEB_SOCKET', ''), None
    if words[:1] in (['-h'], ['--help']):
        print(__doc__)
        return 0
    if words[:1] == ['--socket'] and len(words) > 1:
        socket, words = words[1], words[2:]
    elif words[:1] == ['--port'] and len(words) > 1 and words[1].isdigit():
        port, words = int(words[1]), words[2:]
    folder = words[0] if words else os.path.dirname(os.environ.get('RESULT_DIR', ''))
    if len(words) > 1 or not os.path.isdir(folder) or not (socket or port is not None):
        print('usage: wm-curves [--socket PATH | --port N] [FOLDER]', file=sys.stderr)
        return 2
    server = AtSocket(socket, Handler) if port is None else http.server.ThreadingHTTPServer(('127.0.0.1', port), Handler)
    server.folder = folder
    server.serve_forever()
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

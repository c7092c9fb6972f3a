#!/usr/bin/env python3
"""Role: what a notebook page does, without a browser: starts a kernel, sends cells over its WebSocket through the
door, prints what each evaluates to.

  notebook_client.py BASE-URL COOKIE-JAR CODE…
"""

import json
import os
import ssl
import sys
import uuid

from tornado import gen, httpclient, ioloop, websocket

LIMIT_S = 120


def cookies_in(path):
    """The jar that curl wrote, as a Cookie field; its __Host- ones are there with #HttpOnly_."""
    pairs = {}
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            fields = line.rstrip('\n').removeprefix('#HttpOnly_').split('\t')
            if len(fields) == 7:
                pairs[fields[5]] = fields[6]
    return '; '.join(f'{name}={value}' for name, value in pairs.items()), pairs.get('_xsrf', '')


def request_of(code):
    """An execute_request."""
    header = {'msg_id': uuid.uuid4().hex, 'username': '', 'session': uuid.uuid4().hex, 'msg_type': 'execute_request', 'version': '5.3'}
    return {'header': header, 'parent_header': {}, 'metadata': {}, 'channel': 'shell', 'buffers': [],
            'content': {'code': code, 'silent': False, 'store_history': True, 'user_expressions': {}, 'allow_stdin': False, 'stop_on_error': True}}


async def value_of(socket, code):
    """What the cell's last expression is, or its error."""
    sent = request_of(code)
    await socket.write_message(json.dumps(sent))
    said = ''
    while True:
        text = await socket.read_message()
        if text is None:
            raise SystemExit('the WebSocket was closed')
        message = json.loads(text)
        if message['parent_header'].get('msg_id') != sent['header']['msg_id']:
            continue
        kind, content = message['header']['msg_type'], message['content']
        if kind == 'execute_result':
            said = content['data']['text/plain']
        if kind == 'error':
            said = f'{content["ename"]}: {content["evalue"]}'
        if kind == 'status' and content['execution_state'] == 'idle':
            return said


async def run(base, jar, cells):
    """All cells in one kernel."""
    context = ssl.create_default_context(cafile=os.environ['WM_GATEWAY_CA'])
    cookie, xsrf = cookies_in(jar)
    origin = '/'.join(base.split('/')[:3])
    headers = {'Cookie': cookie, 'X-XSRFToken': xsrf, 'Origin': origin}
    made = await httpclient.AsyncHTTPClient().fetch(base + 'api/kernels', method='POST', body='{}', headers=headers, ssl_options=context, request_timeout=60)
    kernel = json.loads(made.body)['id']
    where = base.replace('https:', 'wss:') + f'api/kernels/{kernel}/channels?session_id={uuid.uuid4().hex}'
    socket = await websocket.websocket_connect(httpclient.HTTPRequest(where, headers=headers, ssl_options=context))
    for code in cells:
        print(await gen.with_timeout(ioloop.IOLoop.current().time() + LIMIT_S, value_of(socket, code)), flush=True)


ioloop.IOLoop.current().run_sync(lambda: run(sys.argv[1], sys.argv[2], sys.argv[3:]))

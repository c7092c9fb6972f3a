"""Role: holds the OpenAPI document of the web door against what it answers: every GET that needs no
more than the ids given is asked, and its answer checked by a JSON Schema validator.

usage: openapi_check.py BASE CA USER:KEY name=value…      names are those of the paths' parameters
"""

import base64
import json
import re
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request

import jsonschema

# What streams or is no JSON is looked at elsewhere.
LEFT_OUT = ('/api/v1/stream', '/dlim/')
QUERY = {'/api/v1/lines': '?args=--exec-start%20PyTorch%20--model-main%20m.py'}


def json_schema(node):
    """OpenAPI 3.0's nullable as JSON Schema says it."""
    if isinstance(node, list):
        return [json_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: json_schema(value) for key, value in node.items() if key != 'nullable'}
    if node.get('nullable') and 'type' in made:
        made['type'] = [made['type'], 'null']
    elif node.get('nullable'):
        made = {'anyOf': [made, {'type': 'null'}]}
    return made


def unsaid(node, where):
    """Objects below a schema that say nothing of what is in them."""
    found = []
    if isinstance(node, dict):
        if node.get('type') == 'object' and not node.keys() & {'properties', 'additionalProperties'}:
            found.append(f'{where}: an object without fields')
        for key, value in node.items():
            found += unsaid(value, f'{where}/{key}')
    elif isinstance(node, list):
        for value in node:
            found += unsaid(value, where)
    return found


def whole(document):
    """What /api/v1 leaves unsaid: answers without a shape, writes that say nothing of a body, shapes that are nowhere."""
    found = unsaid(document['components']['schemas'], 'schemas')
    for path, operations in document['paths'].items():
        for method, operation in operations.items():
            if not path.startswith('/api/v1/'):
                continue
            ok = operation['responses']['2XX']
            if not all(content['schema'] for content in ok.get('content', {}).values()):
                found.append(f'{method} {path}: an answer without a shape')
            if method in ('post', 'put', 'patch') and not operation.keys() & {'requestBody', 'x-no-body'}:
                found.append(f'{method} {path}: a write that says nothing of its body')
    names = set(re.findall('"#/components/schemas/([^"]+)"', json.dumps(document)))
    return found + [f'{name}: a shape that is nowhere' for name in names - document['components']['schemas'].keys()]


class Door:
    """Questions to the door."""

    def __init__(self, base, authority, login):
        self._base, self._context = base, ssl.create_default_context(cafile=authority)
        self._basic = 'Basic ' + base64.b64encode(login.encode()).decode()

    def get(self, path):
        """(status, content type, body)"""
        request = urllib.request.Request(self._base + path, headers={'Authorization': self._basic})
        try:
            with urllib.request.urlopen(request, context=self._context, timeout=60) as answer:
                return answer.status, answer.headers.get_content_type(), answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.headers.get_content_type(), refused.read()


def structure(document):
    """What makes it an OpenAPI 3 document."""
    assert document['openapi'].startswith('3.0'), document['openapi']
    for path, operations in document['paths'].items():
        names = {part[1:-1] for part in path.split('/') if part.startswith('{')}
        for method, operation in operations.items():
            said = {p['name'] for p in operation['parameters'] if p['in'] == 'path'}
            assert said == names, f'{method} {path}: parameters {said} for {names}'
            assert operation['responses'], f'{method} {path}: no response'


def resolved(path, given):
    """The path with its parameters filled in; None: one is not given."""
    for part in path.split('/'):
        if part.startswith('{'):
            if part[1:-1] not in given:
                return None
            path = path.replace(part, urllib.parse.quote(given[part[1:-1]], safe=''))
    return path + QUERY.get(path, '')


def main():
    """Asks and checks; says how many."""
    base, authority, login, *pairs = sys.argv[1:]
    given, door = dict(pair.split('=', 1) for pair in pairs), Door(base, authority, login)
    document = json.loads(door.get('/api/v1/openapi.json')[2])
    structure(document)
    assert not whole(document), '\n'.join(whole(document))
    store = json_schema(document)
    asked, typed = 0, 0
    for path, operations in document['paths'].items():
        target = resolved(path, given)
        if 'get' not in operations or target is None or path.startswith(LEFT_OUT):
            continue
        status, kind, body = door.get(target)
        asked += 1
        responses = operations['get']['responses']
        content = (responses['2XX'] if status < 300 else responses['default']).get('content', {})
        assert status < 500, f'{target}: {status} {body[:200]}'
        if kind not in content:
            assert status >= 300 or '*/*' in content, f'{target}: {kind} is not one of {list(content)}'
            continue
        if 'json' not in kind:
            continue
        schema = json_schema(content[kind]['schema'])
        resolver = jsonschema.RefResolver('', store)
        jsonschema.Draft4Validator(schema, resolver=resolver).validate(json.loads(body))
        typed += 1
    print(f'{asked} asked, {typed} checked')
    assert typed >= 20, typed


if __name__ == '__main__':
    main()

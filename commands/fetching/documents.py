"""Role: data of servers that neither rclone nor ODBC asks: documents of MongoDB and Cloudant, rows of Cassandra, reports of Cognos.

Each kind of server is a class with `test()`: one question, as whoever asks, and `bring(source, path, tell)`: the answer to
source["query"] goes into a file that begins with `path`; tell(bytes) says how much is there. Both raise Refused with the server's words.
"""

import base64
import contextlib
import csv
import http.client
import http.cookiejar
import json
import re
import urllib.error
import urllib.parse
import urllib.request
import xml.sax.saxutils

from fetching.connections import Refused

TIMEOUT_S = 15  # to be heard of at all; a block of an answer has ANSWER_S
ANSWER_S = 300
BLOCK = 1 << 20
FORM = 'application/x-www-form-urlencoded'
DOCUMENTS = 200  # Cloudant's most in an answer of a text index
PLACES = re.compile(r'[A-Za-z0-9._:\[\],-]+')  # hosts with ports; an address with options would read files


def plain(problem):
    """What a client says, on one line."""
    return ' '.join(str(problem).split())[:500] or type(problem).__name__


def places(keys):
    """The hosts of a connection. @errors Refused: none, or something else than names and ports"""
    text = keys.get('host', '')
    if not PLACES.fullmatch(text):
        raise Refused(f'host: {text!r}: names of hosts are wanted, with commas between them')
    return text.split(',')


def port(keys, usual):
    """Its number. @errors Refused: none from 1 to 65535"""
    text = keys.get('port', str(usual))
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise Refused(f'port: {text!r}: a number from 1 to 65535 is wanted')
    return int(text)


def is_on(keys, name):
    """Whether a switch is. @errors Refused: it is neither on nor off"""
    word = keys.get(name, 'false').lower()
    if word not in ('true', 'false', 'yes', 'no', '1', '0'):
        raise Refused(f'{name}: {word!r}: true or false is wanted')
    return word in ('true', 'yes', '1')


def wish(text, names, needs, example):
    """The JSON object that a query is. @errors Refused: no object, a name that is not one of `names`, or without `needs`"""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refused(f'query: a JSON object such as {example} is wanted')
    for name in found:
        if name not in names:
            raise Refused(f'query: {name}: not one of {" ".join(names)}')
    if needs not in found:
        raise Refused(f'query: {needs} is wanted, as in {example}')
    return found


def write_lines(path, texts, tell):
    """A text a line."""
    with open(path, 'w', encoding='utf-8') as out:
        for text in texts:
            out.write(text + '\n')
            tell(out.tell())


# ---- by their own clients -------------------------------------------------------------------------


class Mongo:
    """MongoDB, by pymongo. A query is an object; documents come as extended JSON, relaxed, one a line.

    @source MongoDB Extended JSON v2; pymongo.MongoClient
    """

    NAMES = ('collection', 'filter', 'projection', 'sort', 'limit')
    EXAMPLE = '{"collection": "digits", "filter": {"split": "train"}}'

    def __init__(self, keys):
        try:
            import bson.json_util  # pylint: disable=import-outside-toplevel
            import pymongo  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise Refused('python3-pymongo is not installed on this host') from None
        self._json, self._mongo, self._keys = bson.json_util, pymongo, keys
        if not keys.get('database'):
            raise Refused('database: the name of one is wanted')

    def _client(self):
        keys, given = self._keys, {}
        for ours, theirs in (('user', 'username'), ('password', 'password'), ('authSource', 'authSource'), ('replicaSet', 'replicaSet')):
            if ours in keys:
                given[theirs] = keys[ours]
        return self._mongo.MongoClient(places(keys), port(keys, 27017), tls=is_on(keys, 'tls'), appname='wmfetch',
                                       serverSelectionTimeoutMS=TIMEOUT_S * 1000, connectTimeoutMS=TIMEOUT_S * 1000, **given)

    def test(self):
        """Asks for the names of collections."""
        self._asked(lambda database: database.list_collection_names())

    def bring(self, source, path, tell):
        """Documents of one collection."""
        wanted = wish(source['query'], self.NAMES, 'collection', self.EXAMPLE)
        if not isinstance(wanted['collection'], str):
            raise Refused('query: collection: a name is wanted')

        def documents(database):
            terms = self._json.loads(json.dumps({name: wanted.get(name) for name in ('filter', 'projection')}))
            found = database[wanted['collection']].find(terms['filter'] or {}, terms['projection'], limit=int(wanted.get('limit', 0)))
            if wanted.get('sort'):
                found = found.sort(list(wanted['sort'].items()))
            as_text = (self._json.dumps(document, json_options=self._json.RELAXED_JSON_OPTIONS) for document in found)
            write_lines(path + '.jsonl', as_text, tell)

        self._asked(documents)

    def _asked(self, work):
        try:
            with self._client() as client:
                work(client[self._keys['database']])
        except (self._mongo.errors.PyMongoError, TypeError, ValueError, AttributeError) as problem:
            raise Refused(plain(problem)) from None


class Cassandra:
    """Cassandra, by its Python driver. A query is a line of CQL; rows come as CSV with a line of names.

    @source DataStax driver: cassandra.cluster.Cluster; a result asks for its next page by itself
    """

    def __init__(self, keys):
        try:
            import cassandra.auth  # pylint: disable=import-outside-toplevel
            import cassandra.cluster  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise Refused('python3-cassandra is not installed on this host') from None
        self._cassandra, self._keys = cassandra, keys

    def _cluster(self):
        import ssl  # pylint: disable=import-outside-toplevel
        keys, given = self._keys, {}
        if 'user' in keys:
            given['auth_provider'] = self._cassandra.auth.PlainTextAuthProvider(keys['user'], keys.get('password', ''))
        if is_on(keys, 'tls'):
            given['ssl_context'] = ssl.create_default_context()
        return self._cassandra.cluster.Cluster(places(keys), port=port(keys, 9042), connect_timeout=TIMEOUT_S, **given)

    def test(self):
        """Asks the server for its version."""
        self._asked('SELECT release_version FROM system.local', lambda rows: None)

    def bring(self, source, path, tell):
        """All pages of the answer."""

        def write(rows):
            with open(path + '.csv', 'w', newline='', encoding='utf-8') as out:
                table = csv.writer(out)
                table.writerow(rows.column_names or [])
                for row in rows:
                    table.writerow(row)
                    tell(out.tell())

        self._asked(source['query'], write)

    def _asked(self, text, work):
        try:
            cluster = self._cluster()
            try:
                session = cluster.connect(self._keys.get('keyspace') or None)
                session.default_timeout = ANSWER_S
                work(session.execute(text))
            finally:
                cluster.shutdown()
        except Refused:
            raise
        except OSError:
            raise
        except Exception as problem:  # the driver's errors have no root of their own
            raise Refused(plain(problem)) from None


# ---- by HTTP --------------------------------------------------------------------------------------


class Web:
    """Requests to one server, with its cookies; leads to other servers are not followed with what is secret."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ('http', 'https') or not parts.hostname or parts.username is not None:
            raise Refused('url: an address that begins with https:// is wanted, without a user in it')
        self.url, self.headers, self.cookies = url.rstrip('/'), {}, http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies), _Stays())

    @contextlib.contextmanager
    def ask(self, path, body=None, kind='application/json', timeout=ANSWER_S):
        """The answer, open. @errors Refused: with the server's words; the answer breaks off while it is read"""
        headers = {**self.headers, **({'Content-Type': kind} if body is not None else {})}
        try:
            with self._opener.open(urllib.request.Request(self.url + path, body, headers), timeout=timeout) as answer:
                yield answer
        except urllib.error.HTTPError as problem:
            raise Refused(f'{problem.code}: {plain(problem.read(2000).decode(errors="replace")) or problem.reason}') from None
        except (OSError, http.client.HTTPException) as problem:
            raise Refused(plain(getattr(problem, 'reason', problem))) from None

    def ask_json(self, *words):
        """The object that is answered. @errors Refused: also where it is none"""
        with self.ask(*words) as answer:
            try:
                found = json.load(answer)
            except (ValueError, RecursionError):
                found = None
        if not isinstance(found, dict):
            raise Refused(f'{self.url}: the answer is no JSON object')
        return found


class _Stays(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):  # pylint: disable=too-many-arguments,too-many-positional-arguments
        """Only to the server that was asked."""
        if urllib.parse.urlsplit(newurl)[:2] != urllib.parse.urlsplit(req.full_url)[:2]:
            raise Refused(f'{code}: the server leads to another: {newurl[:200]}')
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Cloudant:
    """Cloudant, and CouchDB, which has the same interface. A query is what _find takes; documents come one a line.

    @source CouchDB: POST /{db}/_find, its bookmark; IBM Cloud IAM: a token for an API key
    """

    NAMES = ('selector', 'fields', 'sort', 'limit', 'use_index')
    EXAMPLE = '{"selector": {"split": "train"}}'
    TOKENS = 'https://iam.cloud.ibm.com'

    def __init__(self, keys):
        self._web, self._database = Web(keys.get('url', '')), urllib.parse.quote(keys.get('database', ''), safe='')
        if not self._database:
            raise Refused('database: the name of one is wanted')
        if 'apikey' in keys:
            form = {'grant_type': 'urn:ibm:params:oauth:grant-type:apikey', 'apikey': keys['apikey']}
            given = Web(keys.get('token_url', self.TOKENS)).ask_json('/identity/token', urllib.parse.urlencode(form).encode(), FORM, TIMEOUT_S)
            self._web.headers['Authorization'] = f'Bearer {given.get("access_token", "")}'
        elif 'user' in keys:
            pair = f'{keys["user"]}:{keys.get("password", "")}'.encode()
            self._web.headers['Authorization'] = 'Basic ' + base64.b64encode(pair).decode()

    def test(self):
        """Asks what the database is."""
        self._web.ask_json(f'/{self._database}', None, '', TIMEOUT_S)

    def bring(self, source, path, tell):
        """Page after page."""
        wanted = wish(source['query'], self.NAMES, 'selector', self.EXAMPLE)
        write_lines(path + '.jsonl', (json.dumps(document, ensure_ascii=False) for document in self._documents(wanted)), tell)

    def _documents(self, wanted):
        left, mark = wanted.get('limit'), None
        if left is not None and (not isinstance(left, int) or left < 1):
            raise Refused('query: limit: a number from 1 on is wanted')
        while left is None or left > 0:
            size = DOCUMENTS if left is None else min(left, DOCUMENTS)
            body = {**wanted, 'limit': size, **({'bookmark': mark} if mark else {})}
            page = self._web.ask_json(f'/{self._database}/_find', json.dumps(body).encode())
            found = page.get('docs', [])
            yield from found
            if len(found) < size or page.get('bookmark', mark) == mark:
                return
            mark, left = page['bookmark'], None if left is None else left - size


class Cognos:
    """Cognos Analytics, by its Mashup Service. A query is report/ID or path/FOLDER/REPORT, which is run; the answer is CSV.

    @source Cognos Mashup Service Developer Guide: rds/auth/logon, rds/outputFormat
    """

    def __init__(self, keys):
        self._keys, self._web = keys, Web(keys.get('url', ''))
        if 'user' in keys:
            self._log_on()

    def _log_on(self):
        keys = self._keys
        given = (('CAMNamespace', keys.get('namespace', '')), ('CAMUsername', keys['user']), ('CAMPassword', keys.get('password', '')))
        escape = xml.sax.saxutils.escape
        elements = ''.join(f'<credentialElements><name>{name}</name><value><actualValue>{escape(value)}</actualValue></value></credentialElements>'
                           for name, value in given)
        body = urllib.parse.urlencode({'xmlData': f'<credentials>{elements}</credentials>'}).encode()
        with self._web.ask('/v1/disp/rds/auth/logon', body, FORM, TIMEOUT_S) as answer:
            said = answer.read(100_000).decode(errors='replace')
        if 'accountInfo' not in said:
            raise Refused('log-on: ' + (plain(re.sub(r'<[^>]*>', ' ', said)) or 'no account was answered'))
        for cookie in self._web.cookies:
            if cookie.name == 'XSRF-TOKEN':
                self._web.headers['X-XSRF-TOKEN'] = cookie.value

    def test(self):
        """The log-on; of a server without one, whether it answers."""
        if 'user' not in self._keys:
            with self._web.ask('/v1/disp/rds/wsil', timeout=TIMEOUT_S):
                pass

    def bring(self, source, path, tell):
        """The report's output, as it comes."""
        kind, _, name = source['query'].partition('/')
        if kind not in ('report', 'path') or not name:
            raise Refused('query: report/ID or path/FOLDER/REPORT is wanted')
        with self._web.ask(f'/v1/disp/rds/outputFormat/{kind}/{urllib.parse.quote(name)}/CSV?v=3&async=OFF') as answer, \
                open(path + '.csv', 'wb') as out:
            block = answer.read(BLOCK)
            if block.lstrip(b'\xef\xbb\xbf\xff\xfe \r\n').startswith(b'<'):
                raise Refused(plain(re.sub(r'<[^>]*>', ' ', block.decode(errors='replace'))))
            while block:
                out.write(block)
                tell(out.tell())
                block = answer.read(BLOCK)


KINDS = {'mongodb': Mongo, 'cassandra': Cassandra, 'cloudant': Cloudant, 'cognos': Cognos}

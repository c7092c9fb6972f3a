"""Role: documents and rows of servers that no file server and no ODBC driver speaks for: pages of an answer to the last, what a server
refuses in its own words, nothing secret sent elsewhere. Cloudant and Cognos are asked over HTTP; the clients of MongoDB and Cassandra are
stand-ins that note what they are given.
"""

import base64
import contextlib
import http.server
import json
import os
import sys
import tempfile
import threading
import types
import unittest
import urllib.parse
from unittest import mock

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path.insert(0, os.path.join(TOP, 'commands'))
from fetching import documents  # noqa: E402  pylint: disable=wrong-import-position

DOCUMENTS = [{'_id': f'd{n}', 'n': n} for n in range(450)]


class Door(http.server.BaseHTTPRequestHandler):
    """A CouchDB with one database, a Cognos with one report, and a place that leads elsewhere."""

    def do_GET(self):  # pylint: disable=invalid-name
        self.server.asked.append((self.path, dict(self.headers)))
        if self.path == '/digits':
            return self.say(200, '{}') if self.known() else self.say(401, '{"error":"unauthorized","reason":"Name or password is incorrect."}')
        if self.path == '/moved':
            return self.say(302, '', Location=self.server.elsewhere)
        if self.path.startswith('/bi/v1/disp/rds/outputFormat/path/Team%20A/all%20of%20it/CSV'):
            return self.say(200, 'n\n1\n2\n') if self.headers.get('X-XSRF-TOKEN') == 'x1' else self.say(403, 'XSRF')
        if self.path.startswith('/bi/v1/disp/rds/outputFormat/report/iF00/CSV'):
            return self.say(200, '<rds:error xmlns:rds="r"><rds:message>RDS-ERR-1020 not found</rds:message></rds:error>')
        return self.say(404, '{"error":"not_found","reason":"Database does not exist."}')

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers['Content-Length'])).decode()
        self.server.asked.append((self.path, dict(self.headers)))
        if self.path == '/identity/token':
            good = urllib.parse.parse_qs(body)['apikey'] == ['k1']
            return self.say(200, '{"access_token": "t1"}') if good else self.say(400, '{"errorMessage":"Provided API key could not be found."}')
        if self.path == '/bi/v1/disp/rds/auth/logon':
            text = urllib.parse.parse_qs(body)['xmlData'][0]
            if '<name>CAMPassword</name><value><actualValue>a&lt;&amp;b</actualValue>' in text:
                return self.say(200, '<auth:accountInfo/>', **{'Set-Cookie': 'XSRF-TOKEN=x1; Path=/'})
            return self.say(200, '<error><message>CAM-AAA-0055 User input is required.</message></error>')
        wanted = json.loads(body)
        first = int(wanted.get('bookmark', '0'))
        page = DOCUMENTS[first:first + wanted['limit']]
        if self.server.torn and first:
            self.send_response(200)
            self.send_header('Content-Length', '100')
            self.end_headers()
            return self.wfile.write(b'{"docs": [')
        return self.say(200, json.dumps({'docs': page, 'bookmark': str(first + len(page))})) if self.known() else self.say(401, 'who?')

    def known(self):
        return self.headers.get('Authorization') in ('Bearer t1', 'Basic ' + base64.b64encode(b'ann:pw').decode())

    def say(self, status, text, **headers):
        self.send_response(status)
        for name, value in {'Content-Length': str(len(text.encode())), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Nothing is logged."""


class OverHttp(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = stack.enter_context(tempfile.TemporaryDirectory())
        self.server = stack.enter_context(http.server.ThreadingHTTPServer(('127.0.0.1', 0), Door))
        self.server.asked, self.server.torn, self.server.elsewhere = [], False, 'http://127.0.0.2:9/digits'
        threading.Thread(target=self.server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True).start()
        stack.callback(self.server.shutdown)
        self.url = f'http://127.0.0.1:{self.server.server_port}'
        self.bytes = []

    def cloudant(self, **keys):
        return documents.Cloudant({'url': self.url, 'database': 'digits', 'user': 'ann', 'password': 'pw', **keys})

    def cognos(self, **keys):
        return documents.Cognos({'url': self.url + '/bi', 'namespace': 'LDAP', 'user': 'ann', 'password': 'a<&b', **keys})

    def bring(self, server, query):
        """The lines of the file that it became."""
        server.bring({'query': query}, os.path.join(self.folder, 'q'), self.bytes.append)
        name, = os.listdir(self.folder)
        with open(os.path.join(self.folder, name), encoding='utf-8') as file:
            return name, file.read().splitlines()

    def refused(self, work, *words):
        with self.assertRaises(documents.Refused) as problem:
            work(*words)
        return str(problem.exception)

    def test_all_pages_come_one_document_a_line(self):
        name, lines = self.bring(self.cloudant(), '{"selector": {}}')
        self.assertEqual((name, [json.loads(line) for line in lines]), ('q.jsonl', DOCUMENTS))
        self.assertEqual(self.bytes[-1], os.path.getsize(os.path.join(self.folder, name)))

    def test_a_limit_is_that_of_all_pages(self):
        self.assertEqual(len(self.bring(self.cloudant(), '{"selector": {}, "limit": 201}')[1]), 201)
        self.assertEqual(len(self.bring(self.cloudant(), '{"selector": {}, "limit": 400}')[1]), 400)

    def test_an_api_key_becomes_a_token(self):
        server = documents.Cloudant({'url': self.url, 'database': 'digits', 'apikey': 'k1', 'token_url': self.url})
        self.assertEqual(len(self.bring(server, '{"selector": {}}')[1]), 450)
        self.assertIn('API key could not be found', self.refused(
            lambda: documents.Cloudant({'url': self.url, 'database': 'digits', 'apikey': 'k2', 'token_url': self.url})))

    def test_a_refusal_is_the_servers_words(self):
        self.assertEqual(self.refused(self.cloudant(password='no').test),
                         '401: {"error":"unauthorized","reason":"Name or password is incorrect."}')
        self.assertIn('Database does not exist', self.refused(self.cloudant(database='other').test))
        self.cloudant().test()

    def test_an_answer_that_is_cut_off_is_no_answer(self):
        self.server.torn = True
        self.assertIn('IncompleteRead', self.refused(self.bring, self.cloudant(), '{"selector": {}}'))

    def test_nothing_secret_goes_to_another_server(self):
        self.assertIn('leads to another: http://127.0.0.2:9/', self.refused(self.cloudant(database='moved').test))
        for url in ('file:///etc/passwd', 'ftp://h/x', 'h', '', 'https://ann:pw@h/'):
            self.assertIn('url: ', self.refused(lambda url=url: self.cloudant(url=url)))

    def test_a_query_says_what_is_wrong_with_it(self):
        for query, words in (('select', 'a JSON object such as'), ('[' * 100000, 'a JSON object such as'), ('{}', 'selector is wanted'),
                             ('{"selector": {}, "skip": 1}', 'query: skip: not one of')):
            self.assertIn(words, self.refused(self.bring, self.cloudant(), query))

    def test_a_report_of_cognos_is_run_by_whom_the_connection_names(self):
        self.assertEqual(self.bring(self.cognos(), 'path/Team A/all of it'), ('q.csv', ['n', '1', '2']))
        self.cognos().test()

    def test_what_cognos_answers_instead_of_a_report_is_told(self):
        self.assertEqual(self.refused(self.bring, self.cognos(), 'report/iF00'), 'RDS-ERR-1020 not found')
        self.assertIn('CAM-AAA-0055', self.refused(lambda: self.cognos(password='no')))
        self.assertIn('report/ID', self.refused(self.bring, self.cognos(), 'select 1'))

    def test_a_server_that_is_not_there_is_said(self):
        with http.server.HTTPServer(('127.0.0.1', 0), Door) as closed:
            url = f'http://127.0.0.1:{closed.server_port}'
        self.assertIn('refused', self.refused(self.cloudant(url=url).test))


class ByClients(unittest.TestCase):
    """What the clients are given; what they answer."""

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.path = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), 'q')
        self.stack = stack

    def modules(self, **found):
        self.stack.enter_context(mock.patch.dict(sys.modules, found))

    def mongo(self, rows, **keys):
        """A pymongo that answers so."""
        client = mock.MagicMock()
        table = client.return_value.__enter__.return_value.__getitem__.return_value.__getitem__.return_value
        table.find.return_value.sort.return_value = rows
        pymongo = types.ModuleType('pymongo')
        pymongo.MongoClient, pymongo.errors = client, types.SimpleNamespace(PyMongoError=KeyError)
        bson, text = types.ModuleType('bson'), types.ModuleType('bson.json_util')
        text.loads, text.RELAXED_JSON_OPTIONS = json.loads, 'relaxed'
        text.dumps = lambda value, json_options: json.dumps(value) + ('' if json_options == 'relaxed' else '?')
        bson.json_util = text
        self.modules(**{'pymongo': pymongo, 'bson': bson, 'bson.json_util': text})
        return client, table, documents.Mongo({'type': 'mongodb', 'host': 'h1,h2:27018', 'database': 'd', **keys})

    def test_documents_of_mongodb(self):
        client, table, server = self.mongo([{'a': 1}, {'a': 2}], user='ann', password='pw', tls='true')
        server.bring({'query': '{"collection": "c", "filter": {"a": {"$gt": 0}}, "sort": {"a": -1}, "limit": 2}'}, self.path, lambda _: None)
        with open(self.path + '.jsonl', encoding='utf-8') as file:
            self.assertEqual(file.read(), '{"a": 1}\n{"a": 2}\n')
        table.find.assert_called_once_with({'a': {'$gt': 0}}, None, limit=2)
        self.assertEqual(client.call_args.args, (['h1', 'h2:27018'], 27017))
        self.assertEqual({name: client.call_args.kwargs.get(name) for name in ('username', 'password', 'tls')},
                         {'username': 'ann', 'password': 'pw', 'tls': True})

    def test_an_address_with_options_is_no_host(self):
        for host in ('mongodb://h/?tlsCAFile=/etc/shadow', 'h/x', '/tmp/mongodb.sock', 'h?x', '', 'h @'):
            _, _, server = self.mongo([], host=host)
            with self.assertRaisesRegex(documents.Refused, 'host: '):
                server.test()
        for port in ('0', '65536', 'x', '-1'):
            with self.assertRaisesRegex(documents.Refused, 'port: '):
                self.mongo([], port=port)[2].test()

    def test_an_error_of_the_client_is_told(self):
        client, _, server = self.mongo([])
        client.return_value.__enter__.return_value.__getitem__.return_value.list_collection_names.side_effect = KeyError('Authentication failed.')
        with self.assertRaisesRegex(documents.Refused, 'Authentication failed'):
            server.test()

    def test_a_client_that_is_not_installed_is_named(self):
        self.modules(pymongo=None, cassandra=None, **{'bson': None, 'cassandra.auth': None, 'cassandra.cluster': None})
        for kind, package in ((documents.Mongo, 'python3-pymongo'), (documents.Cassandra, 'python3-cassandra')):
            with self.assertRaisesRegex(documents.Refused, package):
                kind({'host': 'h', 'database': 'd'})

    def cassandra(self, rows, **keys):
        """A driver that answers so."""
        top, auth, cluster = (types.ModuleType(name) for name in ('cassandra', 'cassandra.auth', 'cassandra.cluster'))
        auth.PlainTextAuthProvider, cluster.Cluster = mock.Mock(return_value='who'), mock.MagicMock()
        top.auth, top.cluster = auth, cluster
        answer = mock.MagicMock(column_names=['a', 'b'])
        answer.__iter__.return_value = iter(rows)
        cluster.Cluster.return_value.connect.return_value.execute.return_value = answer
        self.modules(**{'cassandra': top, 'cassandra.auth': auth, 'cassandra.cluster': cluster})
        return cluster.Cluster, documents.Cassandra({'host': 'h1,h2', 'keyspace': 'k', **keys})

    def test_rows_of_cassandra(self):
        cluster, server = self.cassandra([(1, 'x,y'), (2, None)], user='ann', password='pw')
        server.bring({'query': 'SELECT a, b FROM t'}, self.path, lambda _: None)
        with open(self.path + '.csv', encoding='utf-8', newline='') as file:
            self.assertEqual(file.read(), 'a,b\r\n1,"x,y"\r\n2,\r\n')
        self.assertEqual(cluster.call_args.args, (['h1', 'h2'],))
        self.assertEqual((cluster.call_args.kwargs['port'], cluster.call_args.kwargs['auth_provider']), (9042, 'who'))
        cluster.return_value.connect.assert_called_once_with('k')
        cluster.return_value.shutdown.assert_called_once_with()

    def test_a_driver_that_fails_is_shut_down_and_told(self):
        cluster, server = self.cassandra([])
        cluster.return_value.connect.side_effect = RuntimeError('Unable to connect to any servers')
        with self.assertRaisesRegex(documents.Refused, 'Unable to connect'):
            server.test()
        cluster.return_value.shutdown.assert_called_once_with()


if __name__ == '__main__':
    unittest.main()

"""Role: databases, through ODBC: a query's rows as a file."""

import csv
import os

from fetching.connections import DATABASES, Refused

ROWS = 2000


def plain(problem):
    """What the driver says, on one line."""
    return ' '.join(str(problem.args[-1]).split())


def odbc_value(text):
    """As a connection string holds it."""
    return text if not set(text) & set(';{}') and text == text.strip() else '{' + text.replace('}', '}}') + '}'


def database(keys):
    """A conversation with it."""
    try:
        import pyodbc  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise Refused('python3-pyodbc is not installed on this host') from None
    driver = keys.get('driver') or DATABASES[keys['type']]
    if driver not in pyodbc.drivers():  # a path would load any file as one
        raise Refused(f'ODBC driver {driver!r} is not installed on this host (there are: {", ".join(pyodbc.drivers()) or "none"})')
    names = {'server': 'SERVER', 'host': 'SERVER', 'port': 'PORT', 'database': 'DATABASE', 'user': 'UID', 'password': 'PWD'}
    words = [f'DRIVER={{{driver}}}'] + [f'{names.get(k, k)}={odbc_value(v)}' for k, v in keys.items() if k not in ('type', 'driver')]
    try:
        return pyodbc.connect(';'.join(words), timeout=15, readonly=True)
    except pyodbc.Error as problem:
        raise Refused(plain(problem)) from None


def query(keys, source, folder, progress):
    """Its rows as NAME.csv."""
    with database(keys) as server:
        rows = server.cursor()
        try:
            rows.execute(source['query'])
        except Exception as problem:
            raise Refused(plain(problem)) from None
        path = os.path.join(folder, f'{source["name"]}.csv')
        with open(path, 'w', newline='', encoding='utf-8') as out:
            table = csv.writer(out)
            table.writerow([column[0] for column in rows.description or []])
            while block := rows.fetchmany(ROWS):
                table.writerows(block)
                progress.tell(bytes=progress.state.get('before', 0) + out.tell())

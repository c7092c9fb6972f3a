"""Role: the connections of a user: which types there are, which keys each has, the keys of one."""

import configparser
import os

# Ours → rclone's backend, with what it needs to be told.
STORES = {'s3': ('s3', {'provider': 'Other'}), 'cos': ('s3', {'provider': 'IBMCOS'}), 'azureblob': ('azureblob', {}),
          'adls': ('azureblob', {}), 'azurefiles': ('smb', {}), 'smb': ('smb', {}), 'webdav': ('webdav', {'vendor': 'other'}),
          'sftp': ('sftp', {}), 'ftp': ('ftp', {}), 'http': ('http', {}), 'gcs': ('google cloud storage', {})}
OBSCURED = {'pass'}  # what rclone wants to be given scrambled
# Ours → driver's name as Debian's or the vendor's package registers it.
DATABASES = {'postgresql': 'PostgreSQL Unicode', 'mysql': 'MariaDB Unicode', 'mariadb': 'MariaDB Unicode',
             'singlestore': 'MariaDB Unicode', 'sqlserver': 'ODBC Driver 18 for SQL Server', 'db2': 'IBM DB2 ODBC DRIVER',
             'db2zos': 'IBM DB2 ODBC DRIVER', 'db2warehouse': 'IBM DB2 ODBC DRIVER', 'oracle': 'Oracle ODBC driver',
             'netezza': 'NetezzaSQL', 'teradata': 'Teradata Database ODBC Driver', 'snowflake': 'SnowflakeDSIIDriver',
             'hive': 'Hortonworks Hive ODBC Driver', 'odbc': ''}
# The keys of each type, as libwm/rest/data_sources.cc has them: what else rclone and drivers know runs programs, reads files or takes the
# host's own credentials.
SERVER = 'host server port database user password'
S3 = 'endpoint region location_constraint access_key_id secret_access_key session_token force_path_style v2_auth bucket'
AZURE = 'account key sas_url endpoint tenant client_id client_secret bucket'
DB2 = SERVER + ' driver Protocol Security'
KEYS = {'s3': 'provider ' + S3, 'cos': S3, 'azureblob': AZURE, 'adls': AZURE, 'azurefiles': 'host port user pass domain bucket',
        'smb': 'host port user pass domain bucket', 'webdav': 'url user pass vendor bearer_token bucket',
        'sftp': 'host port user pass key_pem key_file known_hosts_file bucket', 'ftp': 'host port user pass tls explicit_tls bucket',
        'http': 'url bucket', 'gcs': 'project_number service_account_credentials service_account_file location anonymous bucket',
        'postgresql': SERVER + ' SSLmode', 'mysql': SERVER, 'mariadb': SERVER, 'singlestore': SERVER,
        'sqlserver': SERVER + ' driver Encrypt TrustServerCertificate', 'db2': DB2, 'db2zos': DB2, 'db2warehouse': DB2,
        'oracle': SERVER + ' driver DBQ', 'netezza': SERVER + ' driver', 'teradata': SERVER + ' driver DBCName',
        'snowflake': SERVER + ' driver Warehouse Schema Role', 'hive': SERVER + ' driver AuthMech SSL Schema', 'odbc': SERVER + ' driver Schema'}


class Fetch:  # pylint: disable=too-few-public-methods
    """What holds for all of it."""

    connections = os.path.expanduser('~/.config/wm/connections.conf')


class Refused(Exception):
    """Something a person has to read."""


def connection(name):
    """The keys of a connection."""
    file = configparser.RawConfigParser(delimiters=('=',), comment_prefixes=('#',))
    file.optionxform = str
    file.read(Fetch.connections, encoding='utf-8')
    if not file.has_section(name):
        raise Refused(f'connection {name} does not exist')
    keys = dict(file.items(name))
    kind = keys.get('type', '')
    if kind not in STORES and kind not in DATABASES:
        raise Refused(f'connection {name}: type {kind!r}: one of {" ".join([*STORES, *DATABASES])} is wanted')
    for key in keys:
        if key not in ('type', *KEYS[kind].split()):
            raise Refused(f'connection {name}: {key}: not a key of {kind}, which has {KEYS[kind]}')
    return keys

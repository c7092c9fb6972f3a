"""Role: one question to what is served, at its socket or port of this host."""

import http.client
import socket


class Local(http.client.HTTPConnection):
    """HTTP to a unix socket or a port of this host."""

    def __init__(self, address):
        super().__init__('localhost', timeout=10)
        self._address = address

    def connect(self):
        """Connects."""
        if self._address.startswith('/'):
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(self.timeout)
            self.sock.connect(self._address)
        else:
            host, port = self._address.rsplit(':', 1)
            self.sock = socket.create_connection((host, int(port)), self.timeout)


def answer(address, path):
    """Status and body of a GET; None: nobody answers."""
    connection = Local(address)
    try:
        connection.request('GET', path)
        reply = connection.getresponse()
        return reply.status, reply.read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()

"""Role: how two workers of one job show each other that they are, over connections that any user of these
machines can open: each makes a MAC, by the key that the job's agents gave to its workers, over what the
other has drawn. The key itself never travels.

  client ──nonce──► server ──nonce, proof──► client ──proof──► server      of a store; 32 bytes each

The address is in the proofs, so that nobody can pass on those of another worker. The C++ trainer's
stores (groups/store.h) speak the same bytes.
"""

import hmac
import os

NONCE = 32  # bytes; so long is a proof, too


class Stranger(ConnectionError):
    """The other side does not hold the job's key."""


def nonce():
    """What the other side has to answer to."""
    return os.urandom(NONCE)


def of(key, role, about, *nonces):
    """The proof of who speaks as `role` `about` something, for these nonces. @shape [NONCE] bytes"""
    return hmac.digest(key, role.encode() + b'\0' + about.encode() + b'\0' + b''.join(nonces), 'sha256')


def fits(one, other):
    """Whether they are equal; takes as long whether or not."""
    return hmac.compare_digest(one, other)


class Door:
    """The server's side of one connection. @shape key: bytes; None: not known, nobody is let in"""

    def __init__(self, key, address):
        self._key, self._address = key, address
        self._heard, self._expected = b'', None

    @property
    def wants(self):
        """Bytes that may be read now: those behind them are not for the door."""
        return NONCE - len(self._heard)

    def hear(self, chunk):
        """(what to say, whether the other side is let in). @errors Stranger"""
        self._heard += chunk
        if not self._key or not chunk:
            raise Stranger('no key, or gone')
        if self.wants:
            return b'', False
        heard, self._heard = self._heard, b''
        if self._expected is None:
            own = nonce()
            self._expected = of(self._key, 'client', self._address, heard, own)
            return own + of(self._key, 'server', self._address, heard, own), False
        if not fits(heard, self._expected):
            raise Stranger('not by the key of this job')
        return b'', True


def enter(key, address, say, read):
    """The client's side: `say(bytes)`, `read(count)`. @errors Stranger; those of say and read"""
    if not key:
        raise Stranger("this host's agent gave no key: it is of an earlier version")
    own = nonce()
    say(own)
    theirs, shown = read(NONCE), read(NONCE)
    if not fits(shown, of(key, 'server', address, own, theirs)):
        raise Stranger(f'{address} does not hold the key of this job')
    say(of(key, 'client', address, own, theirs))

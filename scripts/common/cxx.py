"""Role: just enough C++ reading for the check scripts: no types, only structure.

text ─blank()─► same text, comments, literals and preprocessor lines turned to blanks
     ─items()─► flat list of namespaces, types, functions and declarations with lines

Invariant: blank() keeps every offset and newline, so lines of the two texts agree.
Callers: check_sizes, check_docs, check_layers.
"""

import re
from dataclasses import dataclass

_NOISE = re.compile(
    r'R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'  # raw string
    r'|//[^\n]*|/\*.*?\*/'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"  # a digit before ' is a separator, 1'000
    r'|^[ \t]*\#(?:\\\n|[^\n])*',
    re.S | re.M)


def blank(text):
    """`text` with everything that is not code replaced by blanks of the same length."""
    return _NOISE.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)


def comment_lines(text):
    """(line, text) of each line of a comment; not of one behind a preprocessor line."""
    line, seen = 1, 0
    for match in _NOISE.finditer(text):
        line, seen = line + text.count('\n', seen, match.start()), match.start()
        if match.group().startswith(('//', '/*')):
            yield from enumerate(match.group().split('\n'), line)


@dataclass
class Item:
    """One thing written at namespace or class scope."""
    kind: str  # namespace type enum function declaration
    head: str  # code up to the body or the semicolon, on one line
    line: int
    end_line: int
    nesting: int = 0  # of control blocks; functions only
    parent: 'Item | None' = None
    access: str = 'public'

    def name(self):
        """Function or type name as a reader would say it."""
        if self.kind in ('type', 'enum'):
            words = re.findall(r'\w+', re.sub(r'[:<].*|\bfinal\b', '', strip_template(self.head)))
            return words[-1] if words else '(unnamed)'
        match = re.search(r'([\w:~]+|operator\s*[^\s(\w]+(\(\))?)\s*$', before_parameters(self.head))
        return match.group(1).strip() if match else self.head[:40]

    def is_function(self):
        """Whether this declares or defines a function."""
        head = strip_template(self.head)
        if self.kind == 'function':
            return True
        if self.kind != 'declaration' or '(*' in head or re.match(r'(using|typedef|friend|static_assert|extern template)\b', head):
            return False
        return '(' in head and '=' not in before_parameters(head).replace('operator', '', 1).rstrip('=<>!+-*/&|^ ')

    def parameters(self):
        """Number of parameters."""
        inner = _inside(self.head, len(before_parameters(self.head)))
        if inner.strip() in ('', 'void'):
            return 0
        depth, count = 0, 1
        for char in inner.replace('->', '  '):
            depth += (char in '(<[{') - (char in ')>]}')
            count += char == ',' and depth == 0
        return count


def strip_template(head):
    """`head` without template<…>, requires-clauses that follow it, and attributes."""
    head = re.sub(r'\[\[.*?\]\]', '', head).strip()
    while head.startswith('template') and '<' in head:
        start = head.find('<')
        depth, at = 0, start
        for at in range(start, len(head)):
            depth += (head[at] == '<') - (head[at] == '>')
            if depth == 0:
                break
        head = head[at + 1:].strip()
    return re.sub(r'^requires\s+[\w:]+(<[^>]*>)?\s*', '', head)


def before_parameters(head):
    """The part of a function's head before its parameter list."""
    call = re.search(r'operator\s*\(\)', head)
    if call:
        return head[:call.end()]
    depth = 0
    for at, char in enumerate(head):
        depth += (char == '<') - (char == '>')
        if char == '(' and depth <= 0 and not re.search(r'(alignas|decltype|noexcept|explicit)\s*$', head[:at]):
            return head[:at]
    return head


def _inside(text, at):
    """Text between the bracket at or after `at` and its partner."""
    start = text.find('(', at)
    if start < 0:
        return ''
    return text[start + 1:_partner(text, start)]


def _partner(code, at):
    """Offset of the bracket that closes the one at `at`."""
    closes = {'(': ')', '{': '}', '[': ']'}
    opening, closing, depth = code[at], closes[code[at]], 0
    for i in range(at, len(code)):
        depth += (code[i] == opening) - (code[i] == closing)
        if depth == 0:
            return i
    return len(code) - 1


def _nesting(body):
    """Deepest chain of braced if, else, for, while, switch, do, try in a function body."""
    deepest, stack = 0, []
    for i, char in enumerate(body):
        if char == '}' and stack:
            stack.pop()
        if char != '{':
            continue
        stack.append(_opens_control(body[:i].rstrip()))
        deepest = max(deepest, sum(stack))
    return deepest


def _opens_control(before):
    if re.search(r'\b(else|do|try)$', before):
        return True
    if not before.endswith(')'):
        return False
    depth = 0
    for i in range(len(before) - 1, -1, -1):
        depth += (before[i] == ')') - (before[i] == '(')
        if depth == 0:
            return bool(re.search(r'\b(if|for|while|switch|catch|constexpr)\s*$', before[:i]))
    return False


class _Reader:
    """Walks blanked code once; scopes are entered, function bodies are skipped over."""

    def __init__(self, code):
        self.code, self.found = code, []

    def line(self, at):
        return self.code.count('\n', 0, at) + 1

    def scope(self, at, end, parent):
        access = 'private' if parent and re.match(r'class\b', strip_template(parent.head)) else 'public'
        while at < end:
            match = re.compile(r'\s+|;|(public|protected|private)\s*:(?!:)').match(self.code, at)
            if match:
                access, at = match.group(1) or access, match.end()
                continue
            at = self.statement(at, end, parent, access)

    def statement(self, at, end, parent, access):
        stop = self.stop_of(at, end)
        item = Item('declaration', ' '.join(self.code[at:stop].split()), self.line(at), self.line(stop), 0, parent, access)
        if stop >= end or self.code[stop] != '{':
            if item.head and item.head != '}':
                self.found.append(item)
            return stop + 1
        close = _partner(self.code, stop)
        item.end_line = self.line(close)
        item.kind = self.kind_of(item.head)
        self.found.append(item)
        if item.kind in ('namespace', 'type'):
            self.scope(stop + 1, close, item)
        if item.kind == 'function':
            item.nesting = _nesting(self.code[stop + 1:close])
            return close + 1
        if item.kind in ('type', 'enum', 'declaration'):  # up to the semicolon
            semicolon = self.code.find(';', close)
            return close + 1 if semicolon < 0 else semicolon + 1
        return close + 1

    def stop_of(self, at, end):
        """Offset of the `;` or of the `{` of the body that ends the head starting at `at`."""
        i = at
        while i < end:
            char = self.code[i]
            if char in '([':
                i = _partner(self.code, i)
            elif char in ';}':
                return i
            elif char == '{':
                head = self.code[at:i].rstrip()
                if not (re.search(r'\)[\w\s]*:(?!:)', head) and re.search(r'[\w>]$', head)):
                    return i
                i = _partner(self.code, i)  # a_{a} of a constructor's initialisers
            i += 1
        return end

    @staticmethod
    def kind_of(head):
        plain = strip_template(head)
        if re.match(r'(inline\s+)?namespace\b|extern\s*$', plain):
            return 'namespace'
        if re.match(r'(typedef\s+)?enum\b', plain):
            return 'enum'
        if re.match(r'(typedef\s+)?(class|struct|union)\b', plain) and '(' not in plain.replace('alignas(', ''):
            return 'type'
        front = re.sub(r'operator\s*[^\s\w(]+', 'operator', before_parameters(plain))
        return 'function' if '(' in plain and '=' not in front else 'declaration'


def items(code):
    """Everything at namespace and class scope of blanked `code`, in order."""
    reader = _Reader(code)
    reader.scope(0, len(code), None)
    return reader.found

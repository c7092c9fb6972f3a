"""Role: where a line of C++ can be broken by one small slip that a person could make.

text ─sites()─► [Site(position, length, other)] ─applied()─► the text with one slip in it

The slips: a comparison off by one or turned round, && for ||, + for -, min for max, true for false, a
negation or an early `continue;` lost. They are found by the layout that scripts/lint keeps: operators stand
between blanks, the brackets of templates do not. Comments, strings and preprocessor lines are left alone.
Callers: scripts/mutants.
@source R. DeMillo, R. Lipton, F. Sayward: Hints on test data selection, IEEE Computer 11(4), 1978
"""

import re
from dataclasses import dataclass

import cxx

_OPERAND = r'(?<=[\w)\]] )'  # to the left: two operands, not a sign
# What is looked for, and what may stand there instead.
SLIPS = [
    (r'(?<= )<(?= )', ('<=', '>')), (r'(?<= )<=(?= )', ('<', '>=')),
    (r'(?<= )>(?= )', ('>=', '<')), (r'(?<= )>=(?= )', ('>', '<=')),
    (r'(?<= )==(?= )', ('!=',)), (r'(?<= )!=(?= )', ('==',)),
    (r'(?<= )&&(?= )', ('||',)), (r'(?<= )\|\|(?= )', ('&&',)),
    (_OPERAND + r'\+(?= )', ('-',)), (_OPERAND + r'-(?= )', ('+',)),
    (_OPERAND + r'\+=(?= )', ('-=',)), (_OPERAND + r'-=(?= )', ('+=',)),
    (r'\bstd::min\b', ('std::max',)), (r'\bstd::max\b', ('std::min',)),
    (r'\btrue\b', ('false',)), (r'\bfalse\b', ('true',)),
    (r'(?<=[ (])!(?=[\w(])', ('',)), (r'\bcontinue;', (';',)),
]


@dataclass(frozen=True)
class Site:
    """One slip: `other` instead of the `length` characters at `position`."""
    position: int
    length: int
    other: str


def sites(text):
    """All slips that can be made in a file's text, in the order of SLIPS and positions."""
    code = cxx.blank(text)
    for pattern, others in SLIPS:
        for found in re.finditer(pattern, code):
            if not code[:found.start()].rstrip().endswith('operator'):
                yield from (Site(found.start(), len(found.group()), other) for other in others)


def applied(text, site):
    """`text` with the slip of `site` made in it."""
    return text[:site.position] + site.other + text[site.position + site.length:]


def told(path, text, site):
    """`file:line: 'old' -> 'new' | the line`, for people."""
    line = text.count('\n', 0, site.position)
    old = text[site.position:site.position + site.length]
    return f"{path}:{line + 1}: '{old}' -> '{site.other}' | {text.splitlines()[line].strip()}"


def listed(text):
    """(seed, [(room, mutants, percent), …]) of a list: test/mutants.rooms. No rooms: it does not read.

    @units percent: of the mutants, what has to be killed   seed: None where it names none"""
    seed, rooms = None, []
    for words in (line.split('#')[0].split() for line in text.splitlines()):
        match words:
            case []:
                continue
            case ['seed', number] if number.isdecimal():
                seed = int(number)
            case [room, count, percent] if count.isdecimal() and percent.isdecimal() and int(count) > 0:
                rooms.append((room, int(count), int(percent)))
            case _:
                return seed, []
    return seed, rooms


NOBODY, LATE = 'nobody', 'timed out'  # what stands for a killer where no test failed


def judged(verdicts):
    """Who killed a mutant, of (test, 'passed' | 'failed' | 'late' | 'unbuilt') in their order.

    The first that fails. One that does not end kills nothing by that, and those after it may; what cannot be linked is
    as one that passed: the compiler has taken the file."""
    late = False
    for test, verdict in verdicts:
        if verdict == 'failed':
            return test
        late = late or verdict == 'late'
    return LATE if late else NOBODY


def account(tried, seed):
    """The last lines about (killer, told) of each mutant, and the share that was killed. @units percent"""
    survivors = [said for killer, said in tried if killer == NOBODY]
    late = [said for killer, said in tried if killer == LATE]
    killed = len(tried) - len(survivors) - len(late)
    share = 100 * killed / max(1, len(tried))
    return [*(f'survived  {said}' for said in survivors), *(f'timed out {said}' for said in late),
            f'{killed} of {len(tried)} killed ({share:.0f} %), {len(late)} timed out, seed {seed}'], share

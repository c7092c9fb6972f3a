"""Role: what 004-options.bats asks about every option of every command, by the tables that commands tell.

  options_check.py pages  TOP B    OPTIONS of the manual pages and the tables: the same options, the same arguments
  options_check.py values TOP B    each option that takes a value, given missing, malformed and hostile ones

Exit 0: all is as it should be; else a line for each that is not.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LARGE = 'x' * 131000  # the kernel passes no longer word to a program
HOSTILE = ['', ' ', "'", '"', '$(touch hacked)', '`touch hacked`; touch hacked', 'a\nb', '\x1b[31mred\x07', '%J%I', '%s%n',
           "'; DROP TABLE jobs; --", '-1', '99999999999999999999', 'nan', '../../../../etc/passwd', '\udcff\udcfe', '[1-', '*', LARGE]
# What an argument is called → values that cannot be meant.
MALFORMED = {
    'n': ['x', '-1', '0x', '1.5.5', '99999999999999999999', ''], 'size': ['x', '-1', '1Q', '99999999999999999999T', ''],
    '[h:]m': ['x', '-1', '1:2:3:4', '99999999999999999999', ''], 'min[,max]': ['x', '0', '4,2', '1,2,3', '-1', ''],
    '[[[y:]m:]d:]h:m': ['x', '25:00', '1:2:3:4:5:6', ''], 't0,t1': ['x', '2026/13/01,', '1,2,3'],
    'trials': ['x', '0', '-1'], 'minutes': ['x', '-1'], 'levels': ['x', '-1'], 'days': ['x', '-1', '0'],
}
# Words behind the options, so that the option is what is judged.
OPERANDS = {
    'bsub': ['-H', 'true'], 'bmod': ['1'], 'bkill': [], 'battach': ['1', 'true'], 'bgive': ['1'], 'blaunch': ['true'], 'bresize': ['cancel', '1'],
    'bswitch': ['normal', '1'], 'badmin': ['hist'], 'bwait': [], 'wmkey': ['list'], 'wmreport': ['show', 'day'], 'bsearch': ['list'],
    'bwhatif': ['1'], 'lsadmin': ['showconf', 'lim'],
}
# What is said of jobs that have such names and values.
SHOWN = [['bjobs', '-a', '-u', 'all', '-w'], ['bjobs', '-a', '-l'], ['bjobs', '-a', '-o', 'all'], ['bjobs', '-a', '-json', '-o', 'all'],
         ['bhist', '-a', '-l'], ['bacct', '-l'], ['bwhy'], ['bjgroup'], ['bplans'], ['wmtop', '-b']]
SKIPPED = {('bsub', '-K'), ('bsub', '-I'), ('bsub', '-Is'), ('bsub', '-Ip')}  # flags that stay


def table(B, command):
    """[(option, kind, argument, group, doc)] as the command tells it; [] of one that has none."""
    said = subprocess.run([f'{B}/bin/{command}', '--wm-options'], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL).stdout
    return [tuple(line.split('\t')[1:]) for line in said.splitlines() if line.startswith('option\t')]


def commands(top):
    """Those of C++."""
    return sorted(name[:-3] for name in os.listdir(f'{top}/commands') if name.endswith('.cc'))


def with_tables(top):
    """Those of C++, and of Python those that have a table, too."""
    return commands(top) + ['dlicmd', 'dlim']


def of_page(path):
    """{option: argument} of a page's OPTIONS; '' where none is said."""
    with open(path, encoding='utf-8') as page:
        section = re.search(r'^## OPTIONS\n(.*?)(?=^## |\Z)', page.read(), re.M | re.S)
    found = {}
    for item in re.findall(r'^- (.*?)(?=^- |^\n|\Z)', section.group(1) if section else '', re.M | re.S):
        head = re.match(r'(?:`[^`]*`(?:, | and |,\n *)?)+', item)
        codes = re.findall(r'`(-[^`]*)`', head.group(0) if head else '')
        for code in codes:
            option, _, argument = code.partition(' ')
            found[option] = argument
    return found


def pages(top, B):
    """Differences between pages and tables."""
    wrong = []
    for command in with_tables(top):
        rows, page = table(B, command), of_page(f'{top}/commands/{command}.1.md')
        known = {}  # of words with verbs an option may be several
        for row in rows:
            known.setdefault(row[0], set()).add(row[2])
        if not known:
            wrong.append(f'{command}: tells no table')
        for row in rows:
            option = row[0]
            if option not in page and not (option.startswith('--') and not row[4]) and option != '-help':
                wrong.append(f'{command}.1.md: OPTIONS lacks {option} ({row[1]})')
            elif row[1] in ('text', 'number') and row[2] != 'value' and page.get(option, row[2]) not in known[option]:
                wrong.append(f'{command}.1.md: {option} takes "{page[option]}", in the table {row[2]}')
        wrong += [f'{command}.1.md: {option} is in no table' for option in page if option not in known]
    return wrong


def said_of(B, command, words):
    """(exit code, standard output, standard error); the code is None when it did not end."""
    try:
        done = subprocess.run([f'{B}/bin/{command}', *words], capture_output=True, timeout=20, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return None, b'', b''
    return done.returncode, done.stdout, done.stderr


def judge(B, command, row, value):
    """What is wrong with how this command takes this value; '' for nothing."""
    option, kind, argument = row[:3]
    words = [option] + ([] if value is None else [value])
    rest = OPERANDS.get(command, [])
    code, out, err = said_of(B, command, words if value is None else words + rest)
    where = f'{command} {option} {ascii(value)[:60]}'
    if code is None:
        return f'{where}: does not end'
    if code < 0 or code in (126, 127) or code >= 128 and code != 255:
        return f'{where}: exit code {code}: {err[-200:]}'
    if value is None and code == 0:
        return f'{where}: is taken without its value'
    if code != 0 and not err.strip() and not out.strip():
        return f'{where}: exit code {code} without a word'
    if b'\x1b' in out + err or b'\x07' in out + err:
        return f'{where}: a terminal would obey what it says: {(out + err)[:200]}'
    if len(err) > 3000:
        return f'{where}: says {len(err)} bytes of error'
    if kind in ('text', 'number') and value in MALFORMED.get(argument, []) and code == 0:
        return f'{where}: is taken: {(out + err)[:120]}'
    return ''


def cases(B, top):
    """Every (command, row, value)."""
    for command in commands(top):
        for row in table(B, command):
            if row[1] not in ('text', 'number', 'ignored') or (command, row[0]) in SKIPPED:
                continue
            yield command, row, None
            for value in HOSTILE + [v for v in MALFORMED.get(row[2], []) if v not in HOSTILE]:
                yield command, row, value


def jobs(B):
    """How many there are."""
    return len(said_of(B, 'bjobs', ['-a', '-u', 'all', '-noheader', '-o', 'jobid'])[1].split())


def values(top, B):
    """What is wrong, of all cases; submissions one after the other, so that each can be held against what there is."""
    todo = list(cases(B, top))
    with ThreadPoolExecutor(4) as pool:
        wrong = [w for w in pool.map(lambda case: judge(B, *case), [c for c in todo if c[0] != 'bsub']) if w]
    there, taken = jobs(B), 0
    for _, row, value in [c for c in todo if c[0] == 'bsub']:
        verdict = judge(B, 'bsub', row, value)
        wrong += [verdict] if verdict else []
        code, out, _ = said_of(B, 'bsub', [row[0]] + ([] if value is None else [value] + OPERANDS['bsub']))
        taken += out.count(b'is submitted to')
        if code != 0 and b'is submitted to' in out:
            wrong.append(f'bsub {row[0]} {ascii(value)[:60]}: refused, and submitted')
    for command, *words in SHOWN:
        _, out, err = said_of(B, command, words)
        if b'\x1b' in out + err:
            wrong.append(f'{command} {" ".join(words)}: a terminal would obey what it says of these jobs')
    left = jobs(B) - there
    if left != 2 * taken:
        wrong.append(f'bsub: {2 * taken} jobs were told of, there are {left}')
    print(f'{len(todo)} cases; bsub took {taken}')
    return wrong


def main():
    """What the command line says."""
    what, top, B = sys.argv[1:4]
    wrong = pages(top, B) if what == 'pages' else values(top, B)
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

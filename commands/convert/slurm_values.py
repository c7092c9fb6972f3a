"""Role: values of Slurm's keys as WM writes them: node lists, times, sizes, trackable resources. ValueError: cannot be read."""

import re

NEVER = {'unlimited', 'infinite', '-1', 'none', 'n/a', ''}


def items(text):
    """node[1-3,5],login as its parts; commas in brackets divide nothing."""
    return re.findall(r'(?:[^,\[\]\s]|\[[^\]]*\])+', text)


def expanded(text):
    """All names of a list of nodes, in order."""
    return [name for item in items(text) for name in expanded_one(item)]


def expanded_one(item):
    """Names of one part, with any number of brackets."""
    found = re.fullmatch(r'([^\[\]]*)\[([^\]]*)\](.*)', item)
    if not found:
        return [item]
    before, ranges, after = found.groups()
    rest = expanded_one(after)
    return [f'{before}{number}{end}' for number in numbers(ranges) for end in rest]


def numbers(ranges):
    """1-3,07-12 with the zeros that are written."""
    made = []
    for part in ranges.split(','):
        first, _, last = part.partition('-')
        if not first.isdigit() or (last and not last.isdigit()) or int(last or first) - int(first) > 100000:
            raise ValueError(ranges)
        made += [f'{number:0{len(first)}d}' for number in range(int(first), int(last or first) + 1)]
    return made


def seconds(text):
    """minutes, minutes:seconds, h:m:s, days-h[:m[:s]] as seconds; None where there is no limit."""
    text = text.strip()
    if text.lower() in NEVER:
        return None
    found = re.fullmatch(r'(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?', text)
    if not found:
        raise ValueError(text)
    days, first, second, third = (int(part) if part else 0 for part in found.groups())
    if found.group(1) is not None:
        return ((days * 24 + first) * 60 + second) * 60 + third
    if found.group(4) is not None:
        return (first * 60 + second) * 60 + third
    return first * 60 + second


def time(text):
    """As WM writes it, '' where there is no limit."""
    number = seconds(text)
    if number is None:
        return ''
    return f'{number // 60}m' if number % 60 == 0 else f'{number}s'


def size(text, unit='M'):
    """A size of memory, in megabytes where no unit is written; '' where there is no limit."""
    found = re.fullmatch(r'(\d+)\s*([KMGTP]?)B?', text.strip(), re.I)
    if text.strip().lower() in NEVER or text.strip() == '0':
        return ''
    if not found:
        raise ValueError(text)
    return f'{found.group(1)}{found.group(2).upper() or unit}'


def tres(text):
    """cpu=100,mem=2T,gres/gpu=4 as a dict; what is -1 has no limit."""
    found = dict(part.partition('=')[::2] for part in text.split(',') if part)
    return {key: value for key, value in found.items() if value not in ('', '-1')}


def gpus(text):
    """(number, model, other parts) of Gres=gpu:a100:4(S:0-1),shard:8."""
    number, models, others = 0, [], []
    for part in items(re.sub(r'\([^)]*\)', '', text)):
        words = part.split(':')
        count = words[-1] if words[-1].isdigit() and len(words) > 1 else '1'
        if words[0] != 'gpu':
            others.append(part)
            continue
        number += int(count)
        models += [word for word in words[1:] if not word.isdigit() and word != 'no_consume']
    return number, list(dict.fromkeys(models)), others

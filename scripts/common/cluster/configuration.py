"""Role: the configuration folder of a private cluster.

flags ─► generated files ─► overlays (--conf FILE, its name ends in queues.conf or another
of the six; a key of the overlay replaces the generated one, the rest stays) ─► DIR/conf
Invariant: every generated key is one that libwm/conf knows; `badmin ckconfig` says so.
Callers: cluster.Cluster.
"""

import os

FILES = ('wm.conf', 'queues.conf', 'hosts.conf', 'users.conf', 'plans.conf', 'apps.conf',
         'budgets.conf', 'limits.conf', 'slas.conf')
# What the web door offers; there only where an overlay brings one.
DOOR_FILES = ('frameworks.conf', 'volumes.conf', 'hwspecs.conf')

QUEUES = {
    'normal': {'priority': '50', 'description': 'jobs that name no queue'},
    'urgent': {'priority': '90', 'description': 'goes before everything else'},
}
PLANS = {'/': {'shares': '1', 'description': 'the whole cluster'}}
APPS = {
    'batch': {'type': 'batch'},
    'training': {'type': 'training'},
    'notebook': {'type': 'notebook'},
    'inference': {'type': 'inference'},
}


def read(path):
    """{section: {key: value}} of an INI file; comments are dropped."""
    sections, current = {}, None
    with open(path, encoding='utf-8') as lines:
        for number, raw in enumerate(lines, 1):
            line = raw.split('#', 1)[0].strip() if raw.lstrip().startswith('#') else raw.strip()
            if not line:
                continue
            if line.startswith('[') and line.endswith(']'):
                current = sections.setdefault(line[1:-1], {})
            elif '=' in line and current is not None:
                key, value = line.split('=', 1)
                current[key.strip()] = value.strip()
            else:
                raise ValueError(f'{path}:{number}: neither a [section] nor key = value: {line}')
    return sections


def write(path, sections):
    """The reverse of read()."""
    with open(path, 'w', encoding='utf-8') as out:
        for name, keys in sections.items():
            out.write(f'[{name}]\n')
            out.writelines(f'{key} = {value}\n' for key, value in keys.items())
            out.write('\n')


def merged(base, overlay):
    """`base` with the keys of `overlay` in place of its own."""
    result = {name: dict(keys) for name, keys in base.items()}
    for name, keys in overlay.items():
        result.setdefault(name, {}).update(keys)
    return result


def hosts(block, flags):
    """[nodeK] sections."""
    shape = {'slots': flags['cpus'], 'cpus': flags['cpus'], 'gpus': flags['gpus']}
    if flags['mem']:
        shape['mem'] = flags['mem']
    return {f'node{k}': {'address': f'{block}.{k}', **shape} for k in range(1, flags['nodes'] + 1)}


def target(path):
    """Which of the files an overlay is for."""
    for name in FILES + DOOR_FILES:
        if os.path.basename(path).endswith(name):
            return name
    raise ValueError(f'--conf {path}: the name must end in one of {" ".join(FILES + DOOR_FILES)}')


def generate(folder, wm_conf, block, flags):
    """Writes the files into `folder`. `wm_conf`: sections of wm.conf."""
    made = {'wm.conf': wm_conf, 'queues.conf': QUEUES, 'hosts.conf': hosts(block, flags), 'users.conf': {},
            'plans.conf': PLANS, 'apps.conf': APPS, 'budgets.conf': {},
            'limits.conf': {}, 'slas.conf': {}}
    for overlay in flags['conf']:
        name = target(overlay)
        made[name] = merged(made.get(name, {}), read(overlay))
    os.makedirs(folder, exist_ok=True)
    for name, sections in made.items():
        write(os.path.join(folder, name), sections)

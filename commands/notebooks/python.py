"""Role: the Python that the job's submitter had in PATH, and kernels that run with it."""

import json
import os
import shutil
import subprocess
import sys

# Asked of the Python of PATH, which may be of any version and place.
PROBE = """
import importlib.util, json, sys
def there(name):
    return importlib.util.find_spec(name) is not None
server = [name for name in ("jupyterlab", "notebook") if there(name)]
app = "ServerApp"
if server[:1] == ["notebook"]:
    import notebook
    app = "NotebookApp" if notebook.__version__ < "7" else app
print(json.dumps({"program": sys.executable, "prefix": sys.prefix, "version": "%d.%d" % sys.version_info[:2], "server": server[0] if server else "",
                  "app": app, "kernel": there("ipykernel")}))
"""
SYSTEM_PREFIX, SYSTEM_PATH = '/usr', '/usr/local/bin:/usr/bin:/bin'


def own_python():
    """What PROBE says of the Python that the job's submitter had in PATH; None: it is the system's, or none that runs."""
    program = shutil.which('python3') or shutil.which('python')
    if not program:
        return None
    try:
        said = subprocess.run([program, '-c', PROBE], capture_output=True, text=True, timeout=60, check=True).stdout
        found = json.loads(said)
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        print(f'wm-notebook: {program} does not run: the system\'s Python takes its place ({problem})', file=sys.stderr)
        return None
    return None if found['prefix'] == SYSTEM_PREFIX else found


def with_kernel(env, python, results):
    """What has the kernel named python3 run with that Python, whosever Jupyter starts it: the first folder that is looked in."""
    if not python['kernel']:
        print(f"wm-notebook: {python['program']} has no ipykernel: kernels run with the system's Python ({python['program']} -m pip install "
              'ipykernel)', file=sys.stderr)
        return env
    folder = os.path.join(results, 'jupyter')
    os.makedirs(os.path.join(folder, 'kernels', 'python3'), exist_ok=True)
    with open(os.path.join(folder, 'kernels', 'python3', 'kernel.json'), 'w', encoding='utf-8') as out:
        json.dump({'argv': [python['program'], '-m', 'ipykernel_launcher', '-f', '{connection_file}'], 'language': 'python',
                   'display_name': f"Python {python['version']} ({python['prefix']})", 'metadata': {'debugger': True}}, out)
    path = env.get('JUPYTER_PATH')
    return {**env, 'JUPYTER_PATH': folder + (':' + path if path else '')}

"""Role: the trained model as one zip file, for notebooks (FabricModel.download): what train() leaves in
$RESULT_DIR/model, or would have left there.
"""

import getpass
import os
import tempfile
import time
import zipfile



def _job():
    """The job's name, or one made up where no job trained."""
    return os.environ.get('DLI_EXECID') or f'{getpass.getuser()}-notebook-{int(time.time() * 1000)}'


def _add(archive, folder):
    for parent, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(parent, name)
            archive.write(path, os.path.relpath(path, folder))


def write_zip(out_dir, script):
    """Writes <out_dir>/<job>.zip, whole or not at all. Returns its path. @errors OSError"""
    results = os.environ.get('RESULT_DIR', '')
    os.makedirs(out_dir, exist_ok=True)
    path = os.path.join(out_dir, _job() + '.zip')
    temporary = f'{path}.{os.getpid()}.tmp'
    with tempfile.TemporaryDirectory() as made:
        if not results:
            script.save_trained(made)
        try:
            with zipfile.ZipFile(temporary, 'w', zipfile.ZIP_DEFLATED) as archive:
                _add(archive, os.path.join(results or made, 'model'))
            os.replace(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)
    return path

"""Role: %%gpu, a notebook's cell that runs as a job with GPUs of its own: they are bound while the cell runs, and
nobody waits for a notebook that only thinks.

    %load_ext wm_gpu_cell
    %%gpu [num=2:mode=shared] [-q short -W 0:10 …]
    loss = train(model, data)

A cell may have the lines that notebooks have: !command, %magic, a top-level await. Magics act in the job, where no page is:
what they would draw is not shown. Where WM_GPU_CELLS is set, to such words (wm-notebook --gpu-while-busy), every cell is one
that begins with no % or ! and does more than import and define.

  kernel ─pickled: what the cell names─► $RESULT_DIR/cells/N ─► bsub -I -gpu … this file ─► the cell
         ◄─pickled: what it has assigned, its last expression─

Invariants: the cell sees and changes only what can be pickled (wm_gpu_values, which knows tensors on a GPU); what cannot come back is
named and the rest comes; what it prints is shown as it comes; when it fails or is interrupted, nothing of the kernel has changed. Both
ends are this file: the kernel imports it, the job runs it.
"""

import ast
import asyncio
import inspect
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

from wm_gpu_values import packed, packed_what_can, unpacked

LAST = '\n'  # in place of a name: the value of the last expression
FAILED = 70  # exit code of a cell that raised: its words are on standard error already


def as_python(cell):
    """The cell with its ! and % lines as calls of get_ipython(), as IPython writes them. @raises SyntaxError: it is no cell,
    or IPython is not there to read it"""
    try:
        ast.parse(cell)
        return cell
    except SyntaxError as problem:
        try:
            from IPython.core.inputtransformer2 import TransformerManager
        except ImportError:
            raise problem from None
        source = TransformerManager().transform_cell(cell)
        ast.parse(source)
        return source


def is_magic(node):
    """Whether it is such a call: get_ipython().system('…')."""
    call = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == 'get_ipython'


def names_in_magics(cell):
    """Names that the text of its magics may mean: %time f(x), !echo $x."""
    texts = [arg.value for node in ast.walk(ast.parse(cell)) if is_magic(node) for arg in node.args if isinstance(arg, ast.Constant)]
    return set(re.findall(r'[^\W\d]\w*', ' '.join(str(text) for text in texts)))


def names_of(cell):
    """(names that the cell reads, names that it assigns at its top). @raises SyntaxError"""
    reads, writes = set(), set()
    for node in ast.walk(ast.parse(cell)):
        if isinstance(node, ast.Name):
            (reads if isinstance(node.ctx, ast.Load) else writes).add(node.id)
            reads.add(node.id)  # x += 1 reads what it writes
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            writes.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            writes.update((alias.asname or alias.name.split('.')[0]) for alias in node.names)
    return reads - {'get_ipython'}, writes


def tell_left(left, to):
    """Names what a cell has made and a notebook cannot have. `left`: {name: why}"""
    for name, why in sorted(left.items()):
        print(f'%%gpu: {name} cannot be brought back: {why}', file=to)


# ---- in the job -----------------------------------------------------------------------------


def shell_for(namespace):
    """An IPython whose magics act on the namespace, and nothing else: no history, no profile of the user's."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config
    config = Config()
    config.HistoryManager.enabled = False
    return InteractiveShell.instance(user_ns=namespace, config=config)


def execute(tree, namespace):
    """Runs the statements; the value of the last, if it is an expression. A top-level await has an event loop."""
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    loop, result = asyncio.new_event_loop(), None
    for part, mode in ((tree, 'exec'), (last and ast.Expression(last.value), 'eval')):
        if part is None:
            continue
        code = compile(part, '<cell>', mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, namespace)  # pylint: disable=eval-used
        if code.co_flags & inspect.CO_COROUTINE:
            result = loop.run_until_complete(result)
    loop.close()
    return result


def run_cell(folder):
    """Runs the cell of a folder; the exit code."""
    with open(os.path.join(folder, 'cell.pickle'), 'rb') as file:
        asked = pickle.load(file)
    sys.path[:0] = asked['path']
    tree = ast.parse(asked['cell'])
    try:
        given, missing = unpacked(asked['values'])
        for name, why in missing.items():
            print(f'%%gpu: {name} did not come to the job: {why}', file=sys.stderr)
        namespace = {'__name__': '__main__', **given}
        if asked['magic']:
            shell = shell_for(namespace)
            namespace['get_ipython'] = lambda: shell
        before = dict(namespace)
        result = execute(tree, namespace)
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
        return FAILED
    sys.stdout.flush()
    writes = asked['writes']
    if asked['magic']:  # what a magic has assigned is known only now
        writes = writes | {name for name, value in namespace.items() if not name.startswith('_') and before.get(name, before) is not value}
    values, left = packed_what_can({**namespace, LAST: result}, writes | {LAST})
    left.pop(LAST, None)
    tell_left(left, sys.stderr)
    answer = {'values': values, 'text': repr(result)}
    path = os.path.join(folder, 'answer.pickle')
    with open(path + '.new', 'wb') as file:
        pickle.dump(answer, file)
    os.rename(path + '.new', path)
    return 0


# ---- in the kernel --------------------------------------------------------------------------


def options_of(line):
    """bsub's words for what stands behind %%gpu: a first word with = is -gpu's."""
    words = line.split()
    request = words.pop(0) if words and not words[0].startswith('-') else 'num=1'
    return ['bsub', '-I', '-J', 'gpu-cell', '-gpu', request, *words]


def passed_on(process):
    """What the job prints, as it comes; its exit code."""
    with process:
        try:
            for line in process.stdout:
                sys.stdout.write(line)
                sys.stdout.flush()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)  # which ends the job
            raise
    return process.returncode


def gpu(line, cell, namespace):
    """Runs the cell as a job; what its last expression is, and the names that it has assigned."""
    cell = as_python(cell)
    reads, writes = names_of(cell)
    magic = any(is_magic(node) for node in ast.walk(ast.parse(cell)))
    if magic:
        named = names_in_magics(cell) - {'get_ipython'}
        reads = reads | (named - set(packed_what_can(namespace, named)[1]))
    values = packed(namespace, reads)
    root = os.path.join(os.environ.get('RESULT_DIR') or tempfile.gettempdir(), 'cells')
    os.makedirs(root, mode=0o700, exist_ok=True)
    folder = tempfile.mkdtemp(dir=root)
    try:
        with open(os.path.join(folder, 'cell.pickle'), 'wb') as file:
            pickle.dump({'cell': cell, 'path': [p for p in sys.path if p], 'writes': writes, 'values': values, 'magic': magic}, file)
        command = ' '.join(f"'{word}'" for word in (sys.executable, os.path.abspath(__file__), folder))
        process = subprocess.Popen(options_of(line) + [command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   stdin=subprocess.DEVNULL)
        code = passed_on(process)
        if code != 0:
            raise RuntimeError('%%gpu: the cell failed' if code == FAILED else f'%%gpu: its job ended with exit code {code}')
        with open(os.path.join(folder, 'answer.pickle'), 'rb') as file:
            answer = pickle.load(file)
        values, left = unpacked(answer['values'])
        last = values.pop(LAST, answer['text'])
        left.pop(LAST, None)
        tell_left(left, sys.stderr)
        namespace.update(values)
        return last
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def computes(cell):
    """Whether it does more than import and define, and does not begin with a magic; what cannot be read is the kernel's to
    complain about."""
    if cell.lstrip().startswith(('%', '!')):
        return False
    try:
        body = ast.parse(as_python(cell)).body
    except SyntaxError:
        return False
    light = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return not all(isinstance(node, light) for node in body)


def with_gpu(request):
    """What makes a cell that computes one with that GPU: IPython's transformer of its lines."""
    return lambda lines: [f'%%gpu {request}\n', *lines] if computes(''.join(lines)) else lines


def load_ipython_extension(shell):
    """%load_ext wm_gpu_cell"""
    shell.register_magic_function(lambda line, cell: gpu(line, cell, shell.user_ns), 'cell', 'gpu')
    if request := os.environ.get('WM_GPU_CELLS'):
        shell.input_transformers_cleanup.append(with_gpu(request))


if __name__ == '__main__':
    sys.exit(run_cell(sys.argv[1]))

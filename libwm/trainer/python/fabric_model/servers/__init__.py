"""Role: parameter servers (control='sync', control='async'): processes that own intervals of the model's parameters and the
optimizer of each; workers push gradients to them and pull parameters.

  worker ──push (worker, n), in buckets──► server of interval i ──the same──► its copy in another server's process
         ◄────────── "both have it" ──────

Modules, pure ones first: cut (which elements an interval has), tasks (what the environment says of server tasks), places (where servers run,
from where an interval is restored), desk (who works on what in async, the age of a gradient) → pieces (an optimizer of an interval),
replica (an interval with what was pushed) → wire (messages), server (a process), nursery (starts them), posts (tasks that do), links (a
worker's side of them), arranging (at each epoch).

Servers run beside the workers, one nursery a worker, forked before there is any thread; or at posts, tasks of their own, where the job has
such. How many there are is fixed at the start; where they run follows from the members of the epoch and from the posts that are there.
Not of this folder: how the engine uses them (stepping.py).
"""

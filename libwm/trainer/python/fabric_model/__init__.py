"""Role: FabricModel, the training API that scripts written for WMLA's elastic distributed training
use. Under WM the training's workers come and go while it runs; outside WM the same script
trains in one process.

  FabricModel(model, datasets_function, loss, optimizer, …).train(epochs, batch_size, …)

Modules: model, arguments, own_steps (the API) → frames (which framework: torch, Keras, JAX) → engine, entering (rounds, switches, recovery) →
communicator, group, rooms, nccl, mesh, membership, fixed, meeting (who), progress (where), flat, buffers, compute, metrics, chance, amp, shapes, data, loaders, streams, dealing (what), virtual
(the same bits), control, steps, stepping, shards, servers, unsynced (how gradients become steps), finite, tail (what goes with them), state, copies,
parcel, plain, checkpoint, trained, onnx_file (copies), hooks (user's code), native, sockets, store, proof (the system),
versions (of Python and torch), noise (of the gradients), warm (what newcomers are forked from); plain_loop, step_sums,
outermost: what wm_elastic is made of.
"""

import os
import sys

from . import versions

versions.check()  # before anything that needs a framework is imported

from .model import FabricModel  # noqa: E402

# Outside WM no PYTHONPATH names the folder of what users' own modules go before. (A wheel's is known to Python.)
_LAST = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'last')
if _LAST not in sys.path:
    sys.path.append(_LAST)

__all__ = ['FabricModel']

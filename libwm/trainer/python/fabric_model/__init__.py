"""Role: FabricModel, the training API that scripts written for WMLA's elastic distributed training
use. Under WM the training's workers come and go while it runs; outside WM the same script
trains in one process.

  FabricModel(model, datasets_function, loss, optimizer, …).train(epochs, batch_size, …)

Modules: model (the API) → engine (rounds, switches, recovery) → group, membership (who),
progress (where), flat, buffers, compute, data (what), state, checkpoint (copies), hooks (user's code),
native, sockets (the system), noise (of the gradients), warm (what newcomers are forked from).
"""

from .model import FabricModel

__all__ = ['FabricModel']

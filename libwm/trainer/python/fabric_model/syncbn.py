"""Role: batch normalisation over the samples of all members (sync_bn=True); torch's own needs a GPU
and a group that never changes.

In training every converted layer sums [Σx, Σx², n] over the members in its forward pass and
[Σdy, Σdy·x̂] in its backward pass. All members must then run equally many bites, each with samples:
where a step has too few samples for that (the end of a pass), members use their own statistics.

Invariant: `active` is computed from numbers that all members know alike, so all sum or none.
@source S. Ioffe, C. Szegedy, Batch Normalization, ICML 2015; gradients over joint statistics
"""

import torch
from torch.nn.modules.batchnorm import _BatchNorm

from .native import part


class Norms:
    """What the converted layers of one model share: the group of the step under way."""

    def __init__(self):
        self.group, self.active = None, False

    def begin(self, group, samples, batch_size):
        """Before a train step of `samples` over the group: returns the number of bites that
        every member must use, or 0 where each may use its own."""
        least = part(samples, group.world, group.world - 1)[1]
        most = part(samples, group.world, 0)[1]
        bites = -(-most // batch_size)
        self.group, self.active = group, group.world > 1 and least >= bites
        return bites if self.active else 0

    def end(self):
        """After it: evaluation and user code use local statistics."""
        self.active = False


class _Normalize(torch.autograd.Function):
    """y = weight · (x − mean)/√(var + eps) + bias with joint statistics.
    @shape x: [n, c, …]; weight, bias: [c] or None"""

    @staticmethod
    def forward(ctx, x, weight, bias, layer):
        over = [0] + list(range(2, x.dim()))
        wide = x.double()
        count = torch.tensor([float(x.numel() // x.shape[1])], dtype=torch.float64)
        sums = torch.cat([wide.sum(over), (wide * wide).sum(over), count])
        layer.norms.group.sum(sums)
        c, total = x.shape[1], sums[-1].item()
        mean, square = sums[:c] / total, sums[c:2 * c] / total
        var = (square - mean * mean).clamp(min=0)
        layer.track(mean, var * (total / max(total - 1, 1)))
        shape = [1, c] + [1] * (x.dim() - 2)
        scale = torch.rsqrt(var + layer.eps).to(x.dtype).reshape(shape)
        hat = (x - mean.to(x.dtype).reshape(shape)) * scale
        ctx.save_for_backward(hat, scale, weight)
        ctx.over, ctx.shape, ctx.total, ctx.layer = over, shape, total, layer
        if weight is None:
            return hat.clone()
        return hat * weight.reshape(shape) + bias.reshape(shape)

    @staticmethod
    def backward(ctx, dy):
        hat, scale, weight = ctx.saved_tensors
        d_bias, d_weight = dy.sum(ctx.over), (dy * hat).sum(ctx.over)
        sums = torch.cat([d_bias, d_weight]).double()
        ctx.layer.norms.group.sum(sums)
        joint = (sums / ctx.total).to(dy.dtype)
        c = d_bias.numel()
        dx = dy - joint[:c].reshape(ctx.shape) - hat * joint[c:].reshape(ctx.shape)
        dx = dx * scale
        if weight is None:
            return dx, None, None, None
        return dx * weight.reshape(ctx.shape), d_weight, d_bias, None


class JointBatchNorm(_BatchNorm):
    """A batch normalisation of any dimension that can look at all members' samples."""

    norms = None

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f'batch normalisation of a tensor of {input.dim()} dimensions')

    def track(self, mean, var):
        """Moves the running statistics as torch's layer does."""
        if not self.track_running_stats or self.running_mean is None:
            return
        self.num_batches_tracked.add_(1)
        share = self.momentum if self.momentum is not None else 1.0 / float(self.num_batches_tracked)
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), share)
        self.running_var.lerp_(var.to(self.running_var.dtype), share)

    def forward(self, input):
        if not (self.training and self.norms.active):
            return super().forward(input)
        self._check_input_dim(input)
        return _Normalize.apply(input, self.weight, self.bias, self)


def warn_of_norms(model):
    """Says once what batch normalisation without sync_bn means for an elastic training."""
    names = [name for name, layer in model.named_modules() if isinstance(layer, _BatchNorm)]
    if names:
        print(f'warning: {len(names)} batch normalisations, as {names[0]!r}, see the samples of their own worker only: '
              'what the model learns depends on how many workers there are. FabricModel(…, sync_bn=True) makes '
              'them see those of all', flush=True)


def convert(model, norms):
    """Replaces the model's batch normalisations in place; their parameters stay the same
    objects, so that an optimizer made before still holds them. Returns the model."""
    for name, child in model.named_children():
        if isinstance(child, _BatchNorm):
            joint = JointBatchNorm(child.num_features, child.eps, child.momentum, child.affine,
                                   child.track_running_stats)
            joint.weight, joint.bias = child.weight, child.bias
            for buffer in ('running_mean', 'running_var', 'num_batches_tracked'):
                setattr(joint, buffer, getattr(child, buffer))
            joint.training, joint.norms = child.training, norms
            setattr(model, name, joint)
        else:
            convert(child, norms)
    return model

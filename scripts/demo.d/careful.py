"""Role: the kernel of the demo's service: the ready-made one, which answers after a vote over shifted copies of a
sample: careful, and dear enough for load to show. It is the package's kernel.py.
"""

import redhareapiversion
from redharetorch import TorchKernel

ROUNDS = 12  # of 25 shifts each


class Careful(TorchKernel):
    """Each sample is looked at 25 times a round, up to two pixels away from where it was."""

    def on_kernel_start(self, kernel_context):
        """Puts the vote around the model."""
        super().on_kernel_start(kernel_context)
        model = self.model

        def vote(samples):
            import torch
            shifts = [(down, right) for down in range(-2, 3) for right in range(-2, 3)]
            copies = torch.cat([torch.roll(samples, shift, (2, 3)) for shift in shifts])
            said = sum(model(copies) for _ in range(ROUNDS)) / ROUNDS
            return (model(samples) + said.reshape(len(shifts), len(samples), -1).mean(0)) / 2

        self.model = vote


if __name__ == '__main__':
    Careful().run()

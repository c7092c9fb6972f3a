"""Role: a Lightning training as its users write it, on one GPU, for scripts/gpu_acceptance. Prints "agreed: …".
usage: light_train.py [DEVICES [HOSTS]]
"""

import sys

import lightning
import torch


class Line(lightning.LightningModule):
    """y = ax + b"""

    def __init__(self):
        super().__init__()
        self.line = torch.nn.Linear(8, 1)

    def training_step(self, batch, _):
        return self.line(batch[0]).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    devices, hosts = (int(word) for word in (sys.argv[1:] + ['1', '1'])[:2])
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 8)), 4)
    trainer = lightning.Trainer(accelerator='gpu', devices=devices, num_nodes=hosts, strategy='ddp', max_epochs=1,
                                enable_progress_bar=False, logger=False, enable_checkpointing=False)
    trainer.fit(Line(), data)
    print(f'agreed: {trainer.global_step} steps, rank {trainer.global_rank} of {trainer.world_size} on '
          f'{trainer.strategy.root_device}, by Lightning', flush=True)


if __name__ == '__main__':
    main()

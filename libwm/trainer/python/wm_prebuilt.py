"""Role: the models of dlicmd --pbmodel-name: they train on made-up data, to show that a cluster trains.

usage: python3 -m wm_prebuilt AlexNet|VGG16|ResNet18|MNIST [train] [--epochs N] [--steps N] [--batch-size N]

Leaves trained_model.pt in $SAVED_MODEL_DIR and says loss by loss how it goes.
"""

import argparse
import os

import torch
from torch import nn


def mnist():
    """A small network for images of 28 x 28 points."""
    return nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 13 * 13, 10))


def model_of(name):
    """(network, shape of one image)"""
    if name == 'MNIST':
        return mnist(), (1, 28, 28)
    from torchvision import models  # pylint: disable=import-outside-toplevel
    makers = {'AlexNet': models.alexnet, 'VGG16': models.vgg16, 'ResNet18': models.resnet18}
    return makers[name](num_classes=10), (3, 64, 64)


def main():
    """Trains the model that is named."""
    parser = argparse.ArgumentParser(prog='wm_prebuilt')
    parser.add_argument('model', choices=['AlexNet', 'VGG16', 'ResNet18', 'MNIST'])
    parser.add_argument('command', nargs='?', default='train', choices=['train'])
    parser.add_argument('--epochs', type=int, default=1)
    parser.add_argument('--steps', type=int, default=4)
    parser.add_argument('--batch-size', type=int, default=4)
    options, _ = parser.parse_known_args()
    torch.manual_seed(1)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    network, shape = model_of(options.model)
    network.to(device)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    measure = nn.CrossEntropyLoss()
    for epoch in range(options.epochs):
        for step in range(options.steps):
            images = torch.randn(options.batch_size, *shape, device=device)
            labels = torch.randint(10, (options.batch_size,), device=device)
            optimizer.zero_grad()
            loss = measure(network(images), labels)
            loss.backward()
            optimizer.step()
            print(f'{options.model} epoch {epoch} step {step} loss {loss.item():.4f}', flush=True)
    folder = os.environ.get('SAVED_MODEL_DIR', '.')
    os.makedirs(folder, exist_ok=True)
    torch.save(network.state_dict(), os.path.join(folder, 'trained_model.pt'))
    print('trained', options.model, flush=True)


if __name__ == '__main__':
    main()

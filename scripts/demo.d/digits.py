"""Role: real handwritten digits as idx files, wherever the demo runs.

  MNIST below DATA_DIR (DATA_DIR/MNIST/raw/*-ubyte)  ─► used as it is
  else the 1,797 digits inside Debian's python3-sklearn ─► written once below the folder
  given: 80 % to train on, 20 % held out, shuffled with a fixed seed

usage: digits.py FOLDER    prints the name of the set, then the folder it lies in
@source idx format: magic 0x0000, type 0x08 (bytes), number of dimensions, sizes big-endian
Callers: scripts/demo (writes), train.py (reads).
"""

import os
import struct
import sys

RAW = os.path.join('MNIST', 'raw')
FILES = {'train': ('train-images-idx3-ubyte', 'train-labels-idx1-ubyte'),
         'test': ('t10k-images-idx3-ubyte', 't10k-labels-idx1-ubyte')}
HELD_OUT = 0.2
SEED = 1797


def has_all(folder):
    """Whether the four idx files are below `folder`."""
    names = [name for pair in FILES.values() for name in pair]
    return bool(folder) and all(os.path.isfile(os.path.join(folder, RAW, name)) for name in names)


def write_idx(path, array):
    """One idx file of unsigned bytes; complete or absent, never half written."""
    with open(path + '.part', 'wb') as out:
        out.write(struct.pack('>BBBB', 0, 0, 8, array.ndim))
        out.write(struct.pack(f'>{array.ndim}I', *array.shape))
        out.write(array.astype('uint8').tobytes())
        out.flush()
        os.fsync(out.fileno())
    os.replace(path + '.part', path)


def read_idx(path):
    """The array in an idx file."""
    import numpy
    with open(path, 'rb') as source:
        content = source.read()
    dimensions = content[3]
    shape = struct.unpack(f'>{dimensions}I', content[4:4 + 4 * dimensions])
    return numpy.frombuffer(content, 'uint8', offset=4 + 4 * dimensions).reshape(shape)


def load(folder, part):
    """(images, labels) of 'train' or 'test'. @shape images: [n, height, width] bytes"""
    return tuple(read_idx(os.path.join(folder, RAW, name)) for name in FILES[part])


def write_sklearn_digits(folder):
    """The digits that ship with scikit-learn, brightness 0..16 stretched to 0..255."""
    import numpy
    from sklearn.datasets import load_digits
    digits = load_digits()
    order = numpy.random.RandomState(SEED).permutation(len(digits.target))
    held_out = round(len(order) * HELD_OUT)
    os.makedirs(os.path.join(folder, RAW), exist_ok=True)
    for part, chosen in (('test', order[:held_out]), ('train', order[held_out:])):
        images, labels = (os.path.join(folder, RAW, name) for name in FILES[part])
        write_idx(images, digits.images[chosen] * (255 / 16))
        write_idx(labels, digits.target[chosen])


def prepare(folder):
    """(what the set is, folder it lies in)."""
    given = os.environ.get('DATA_DIR', '')
    if has_all(given):
        return 'MNIST', given
    if not has_all(folder):
        write_sklearn_digits(folder)
    return "1,797 digits of scikit-learn (no MNIST in DATA_DIR)", folder


if __name__ == '__main__':
    print('\n'.join(prepare(sys.argv[1])))

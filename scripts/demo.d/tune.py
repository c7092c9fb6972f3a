"""Role: one trial of the demo's search: a network of one hidden layer on real digits, with the settings in
config.json. Says its loss and accuracy on held-out digits after each epoch, so that the search may stop it
early; keeps its model. Plain numpy: a trial is short.

  config.json {lr, hidden, batch, momentum} ─► epochs ─► $RESULT_DIR/val_dict_list.json, model/digits.npz
Callers: scripts/demo.d/search_story.py (as the script of --hpo-start).
"""

import json
import os
import sys

import digits
import numpy

RESULT_DIR = os.environ['RESULT_DIR']


def loaded(part):
    """(rows of brightness 0..1, labels)."""
    images, labels = digits.load(os.environ['DATA_DIR'], part)
    images, labels = images[:4000], labels[:4000]
    return images.reshape(len(images), -1) / 255.0, labels.astype(int)


def forward(weights, rows):
    """(hidden layer, probabilities)."""
    hidden = numpy.maximum(rows @ weights[0] + weights[1], 0)
    scores = hidden @ weights[2] + weights[3]
    scores = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return hidden, scores / scores.sum(axis=1, keepdims=True)


def gradients(weights, rows, labels):
    """Of the mean cross entropy."""
    hidden, guess = forward(weights, rows)
    guess[numpy.arange(len(rows)), labels] -= 1
    guess /= len(rows)
    back = (guess @ weights[2].T) * (hidden > 0)
    return [rows.T @ back, back.sum(axis=0), hidden.T @ guess, guess.sum(axis=0)]


def written(steps):
    """What is reported is whole at any time."""
    path = os.path.join(RESULT_DIR, 'val_dict_list.json')
    with open(path + '.part', 'w', encoding='ascii') as out:
        json.dump(steps, out)
    os.replace(path + '.part', path)


def main():
    """Trains for as many epochs as the first argument says."""
    with open('config.json', encoding='utf-8') as text:
        config = json.load(text)
    lr, momentum = float(config['lr']), float(config['momentum'])
    size, batch = int(config['hidden']), int(config['batch'])
    (rows, labels), (held_rows, held_labels) = loaded('train'), loaded('test')
    dice = numpy.random.default_rng(1)
    weights = [dice.normal(0, rows.shape[1] ** -0.5, (rows.shape[1], size)), numpy.zeros(size),
               dice.normal(0, size ** -0.5, (size, 10)), numpy.zeros(10)]
    speed, steps = [numpy.zeros_like(w) for w in weights], []
    for epoch in range(1, int(sys.argv[1]) + 1):
        order = dice.permutation(len(rows))
        for start in range(0, len(order), batch):
            chosen = order[start:start + batch]
            for s, w, g in zip(speed, weights, gradients(weights, rows[chosen], labels[chosen])):
                s *= momentum
                s -= lr * g
                w += s
        guess = forward(weights, held_rows)[1]
        loss = float(-numpy.log(guess[numpy.arange(len(held_labels)), held_labels] + 1e-12).mean())
        accuracy = float((guess.argmax(axis=1) == held_labels).mean())
        steps.append({'step': epoch, 'loss': round(loss, 5), 'accuracy': round(accuracy, 5)})
        written(steps)
        print(f'epoch {epoch}: loss {loss:.4f} accuracy {accuracy:.4f}', flush=True)
    os.makedirs(os.path.join(RESULT_DIR, 'model'), exist_ok=True)
    numpy.savez(os.path.join(RESULT_DIR, 'model', 'digits.npz'), *weights)
    with open(os.path.join(RESULT_DIR, 'ended'), 'a', encoding='ascii') as out:
        out.write(f'{epoch}\n')


main()

"""Role: what 053-servers.bats proves of trainings with parameter servers, from their RESULT_DIRs.

usage: served_proof.py same A B            the parameters of B are those of A, within rounding of float64
       served_proof.py used DIR PASSES [async]  every sample of every pass is in one applied step
       served_proof.py took DIR             seconds from the first step to the last
       served_proof.py named DIR            the held-out accuracy
Prints what it has found; exit 1 with what is wrong.
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import fake_lead  # noqa: E402
import torch  # noqa: E402

SAMPLES = 1440  # of digits_served.py
WORST = 1e-9    # relative, of two orders of the same sums in float64 over some hundred steps


def tasks_of(folder):
    return sorted(os.listdir(os.path.join(folder, 'log')))


def same(one, other):
    first, second = (torch.load(os.path.join(folder, 'returned.pt')) for folder in (one, other))
    scale = max(value.abs().max().item() for value in first.values())
    worst = max((value - second[name]).abs().max().item() for name, value in first.items()) / scale
    return f'they differ by {worst:.1e} of the largest', worst > WORST


def used(folder, passes, control='sync'):
    check = fake_lead.check_deals if control == 'async' else fake_lead.check_ledger
    wrong = check(folder, tasks_of(folder), SAMPLES, int(passes))
    return '\n'.join(wrong) or f'{passes} passes, every sample once in each', wrong


def took(folder):
    rows = [row for task in tasks_of(folder) for row in fake_lead.rows(folder, task, 'steps.csv')]
    return f"{(max(row['t_end'] for row in rows) - min(row['t_begin'] for row in rows)) / 1e9:.2f}", not rows


def named(folder):
    with open(os.path.join(folder, 'model', 'result.json'), encoding='utf-8') as file:
        return f"{json.load(file)['accuracy']:.4f}", False


said, is_wrong = {'same': same, 'used': used, 'took': took, 'named': named}[sys.argv[1]](*sys.argv[2:])
print(said)
sys.exit(1 if is_wrong else 0)

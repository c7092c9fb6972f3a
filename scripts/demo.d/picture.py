"""Role: draws slots over time as SVG, from step records and event times.

Callers: scripts/demo. Input: {name: [(seconds, slots), …]} steps; output: one file.
"""

import matplotlib

matplotlib.use('svg')
from matplotlib import pyplot  # noqa: E402

COLOURS = {'ann': '#1b6ca8', 'bob': '#e08e0b', 'urgent': '#a83279'}


def value_at(series, seconds):
    """Slots of a step function at a time."""
    held = [slots for at, slots in series if at <= seconds]
    return held[-1] if held else 0


def draw(path, all_series, capacity):
    """Stacked areas, one a job, below the line of what the cluster has."""
    times = sorted({at for series in all_series.values() for at, _ in series})
    names = list(all_series)
    heights = [[value_at(all_series[name], at) for at in times] for name in names]
    figure, axes = pyplot.subplots(figsize=(9, 3.2))
    axes.stackplot(times, heights, labels=names, step='post', colors=[COLOURS.get(n, 'grey') for n in names],
                   alpha=0.85)
    axes.axhline(capacity, color='black', linewidth=0.8)
    axes.set(xlabel='seconds since the first submission', ylabel='GPUs in use', ylim=(0, capacity + 0.5),
             xlim=(0, max(times)), yticks=range(capacity + 1))
    axes.legend(loc='upper center', ncol=len(names), bbox_to_anchor=(0.5, 1.16), frameon=False)
    figure.tight_layout()
    figure.savefig(path)

"""Role: one job list, twice: by the daemons of the cluster whose environment is set, and by bsim
with the same configuration. Prints both outcomes as JSON; what to think of them is the caller's.

usage: same_list.py LIST SEED HOSTS CPUS     an SWF list; of its jobs 60 % are malleable, by SEED

Rigid jobs are one `sleep`. The tasks of an elastic one are sleepers (sleeper.c), which take what they
slept off one sum that they share: so the job does its work as fast as it has tasks, which is what
bsim believes of a malleable job (linear speed-up).
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time

MALLEABLE = '0.6'
DEADLINE_S = 240
SLEEPER = os.path.join(os.path.dirname(os.path.realpath(__file__)), 'sleeper.c')


# ---- the list ---------------------------------------------------------------------------

def simulated(path, seed, hosts, cpus):
    with tempfile.NamedTemporaryFile() as out:
        words = ['bsim', '--format', 'swf', '--workload', path, '--hosts', hosts, '--gpus-per-host', '0',
                 '--cpus-per-host', cpus, '--policy', 'fairshare', '--malleable', MALLEABLE, '--seed', seed,
                 '--estimates', 'none', '--conf', os.environ['WM_CONF_DIR'], '--json', out.name]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return json.load(open(out.name, encoding='utf-8'))


def run_times(path):
    """{job number: seconds at the size asked for}"""
    with open(path, encoding='utf-8') as lines:
        fields = [line.split() for line in lines if line.strip() and not line.startswith(';')]
    return {words[0]: float(words[3]) for words in fields}


def submit(job, run_s, folder):
    """Returns the job's number."""
    if job['min_tasks'] == job['max_tasks']:
        words = ['-n', str(job['tasks']), 'sleep', str(run_s)]
    else:
        pool = os.path.join(folder, job['name'])
        with open(pool, 'wb') as out:
            out.write(struct.pack('dd', run_s * job['tasks'], 0))
        words = ['-app', 'sleepers', '-ar', '-n', f"{job['min_tasks']},{job['max_tasks']}",
                 os.path.join(folder, 'sleeper'), pool]
    said = subprocess.run(['bsub', *words], check=True, capture_output=True, text=True).stdout
    return said.split('<', 1)[1].split('>', 1)[0]


def run_list(jobs, times, folder):
    """Submits every job at its time, each in a thread of its own; returns their numbers."""
    numbers, began = {}, time.monotonic()

    def one(job):
        time.sleep(max(0, began + job['submit_s'] - time.monotonic()))
        numbers[job['name']] = submit(job, times[job['name']], folder)

    threads = [threading.Thread(target=one, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return numbers


def history(number):
    said = subprocess.run(['bhist', '-json', number], check=True, capture_output=True, text=True).stdout
    return json.loads(said)['RECORDS'][0]['EVENTS']


def wait_for_all(numbers):
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        said = subprocess.run(['bjobs', '-a', '-json', '-o', 'jobid wm_state'], check=True,
                              capture_output=True, text=True).stdout
        states = {record['JOBID']: record['WM_STATE'] for record in json.loads(said)['RECORDS']}
        if all(states[number] in ('finished', 'failed', 'killed', 'error') for number in numbers):
            wrong = [number for number in numbers if states[number] != 'finished']
            if wrong:
                sys.exit(f'same_list: jobs {wrong} did not finish')
            return
        time.sleep(0.3)
    sys.exit(f'same_list: not all jobs ended within {DEADLINE_S} s')


def outcome(numbers):
    """The figures of the real run, by the events of its jobs."""
    jobs = {}
    for name, number in numbers.items():
        events = history(number)
        at = {event['EVENT']: event['TIME'] for event in reversed(events)}
        ended = max(event['TIME'] for event in events if event['EVENT'] == 'END')
        jobs[name] = {'submit': at['SUBMIT'], 'wait_s': at['DISPATCH'] - at['SUBMIT'], 'end': ended,
                      'jct_s': ended - at['SUBMIT'],
                      'resizes': sum(event['EVENT'] == 'RESIZE' for event in events)}
    return jobs


def figures(jobs):
    return {'makespan_s': max(job['end'] for job in jobs) - min(job['submit'] for job in jobs),
            'avg_jct_s': sum(job['jct_s'] for job in jobs) / len(jobs)}


def main(path, seed, hosts, cpus):
    expected = simulated(path, seed, hosts, cpus)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['cc', '-O1', '-o', os.path.join(folder, 'sleeper'), SLEEPER], check=True)
        numbers = run_list(expected['jobs'], run_times(path), folder)
        wait_for_all(list(numbers.values()))
    real = outcome(numbers)
    live = figures(list(real.values()))
    said = {'jobs': [{'name': job['name'], 'real': real[job['name']],
                      'simulated': {key: job[key] for key in ('wait_s', 'jct_s', 'resizes')}}
                     for job in expected['jobs']]}
    for key, value in live.items():
        said[key] = {'real': value, 'simulated': expected[key],
                     'apart_percent': 100 * (value / expected[key] - 1)}
    print(json.dumps(said))


if __name__ == '__main__':
    main(*sys.argv[1:])

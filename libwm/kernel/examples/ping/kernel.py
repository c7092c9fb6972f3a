"""Role: the smallest kernel there is: answers "pong" and what it was asked. "sleep S" takes S seconds,
"fail" raises."""

import time

import redhareapiversion
from redhareapi import Kernel


class Ping(Kernel):
    """Answers every task of its batch."""

    def on_kernel_start(self, kernel_context):
        """Says which version it runs with."""
        Kernel.log_info(f'{kernel_context.get_id()} speaks {redhareapiversion.VERSION}')

    def on_task_invoke(self, task_context):
        """One task after another."""
        while task_context is not None:
            data = task_context.get_input_data()
            if data.startswith('sleep '):
                time.sleep(float(data.split()[1]))
            if data == 'fail':
                raise ValueError('asked to fail')
            task_context.set_output_data('pong ' + data)
            task_context = task_context.next()


if __name__ == '__main__':
    Ping().run()

"""TensorFlow as its own guide has it: workers that train alike by TF_CONFIG alone. Each says the sum over all of a
number of its own.
"""

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
cluster = strategy.cluster_resolver


@tf.function
def summed(value):
    """Over all workers."""
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(lambda: value), axis=None)


print(f'{cluster.task_type} {cluster.task_id} sum {float(summed(tf.constant(10.0 ** cluster.task_id))):.0f} '
      f'of {strategy.num_replicas_in_sync}', flush=True)

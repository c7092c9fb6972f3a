"""TensorFlow as its own guide has it: parameter servers and workers by TF_CONFIG alone. The chief counts what the
workers did with variables that lie on the servers.
"""

import tensorflow as tf

STEPS = 20

cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if cluster.task_type in ('worker', 'ps'):
    server = tf.distribute.Server(cluster.cluster_spec(), job_name=cluster.task_type, task_index=cluster.task_id,
                                  protocol=cluster.rpc_layer or 'grpc')
    server.join()  # until the job is over

strategy = tf.distribute.ParameterServerStrategy(cluster)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    total = tf.Variable(0.0)


@tf.function
def step():
    """One worker's."""
    total.assign_add(2.0)
    return total.device


devices = [coordinator.schedule(step) for _ in range(STEPS)]
coordinator.join()
workers = len(tf.config.list_logical_devices('CPU')) and cluster.cluster_spec().num_tasks('worker')
print(f'total {total.numpy():.0f} of {workers} workers, kept by {total.device}', flush=True)

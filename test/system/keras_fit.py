"""Keras as its own guide has it: model.fit of tf_keras under MultiWorkerMirroredStrategy. Each worker says the weight
that it has at the end; they are the same.
"""

import numpy as np
import tensorflow as tf
import tf_keras

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = tf_keras.Sequential([tf_keras.layers.Dense(1, use_bias=False, input_shape=(1,),
                                                       kernel_initializer='zeros')])
    model.compile(optimizer=tf_keras.optimizers.SGD(0.1), loss='mse')

inputs = np.linspace(0.5, 1.5, 64, dtype='float32')[:, None]
model.fit(inputs, 3 * inputs, batch_size=16, epochs=20, verbose=0)
print(f'{strategy.num_replicas_in_sync} replicas, weight {model.get_weights()[0].item():.6f}', flush=True)

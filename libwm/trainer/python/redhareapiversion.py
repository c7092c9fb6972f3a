"""Role: imported by kernels of inference services before redhareapi; says which of its versions there is."""

VERSION = '1.0'

"""Role: lets JAX know of WM's jobs before a script asks: `jax.distributed.initialize()` without arguments. JAX imports
`jax_plugins`, where makers of devices put their modules, while it is imported itself; nobody else does, so that jobs
without JAX never read this file.

Invariant: what others have put into `jax_plugins` is found as if this file were not there, and JAX is imported in any
case: a JAX that has no such clusters, or others, goes on without ours.
"""

from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)  # else this folder alone would be the package

try:
    import wm_jax  # noqa: F401  pylint: disable=unused-import
except Exception:  # pylint: disable=broad-exception-caught  (a JAX of another time; scripts can give the arguments)
    pass

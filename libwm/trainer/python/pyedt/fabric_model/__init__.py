"""Role: `from pyedt.fabric_model import FabricModel`: the same class as fabric_model's."""

from fabric_model import FabricModel

__all__ = ['FabricModel']

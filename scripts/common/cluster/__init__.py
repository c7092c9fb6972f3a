"""Role: what scripts/minicluster is made of: address, configuration, processes, cluster."""

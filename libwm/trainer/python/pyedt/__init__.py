"""Role: the package name under which later WMLA releases offer fabric_model."""

"""Role: what search plugins written for WMLA import; see core."""

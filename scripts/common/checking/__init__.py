"""Role: what scripts/check is made of: group, place, leftovers, summary."""

"""Role: what wmfetch is made of: connections, where data comes from, data of a job on its host."""

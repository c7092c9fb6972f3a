"""Role: what wm-notebook is made of: what is served, what it uses, how it stands."""

"""Role: what lsf2wm and slurm2wm share and are made of: another scheduler's configuration as files of WM.

  lsf_text ─► lsf_values ─► lsf_keys ─► lsf_hosts, lsf_users, lsf_rules ─► lsf_site ─┐
  slurm_text ─► slurm_values ─► slurm_nodes, slurm_accounts ─► slurm_site ───────────┴─► site ─► judge

Each program is one file for users: the Makefile packs it with this folder.
"""

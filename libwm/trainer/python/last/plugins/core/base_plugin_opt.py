"""Role: the class that search plugins derive from."""


class BasePluginOptimizer:
    """Keeps what it is made with. `search` is the plugin's; a state it may have."""

    def __init__(self, name, hyper_parameters, **kwargs):
        self.name = name
        self.hyper_parameters = hyper_parameters
        self.kwargs = kwargs

    def search(self, number_samples, last_exp_results):
        """So many of {name: value} to try; [] when there are no more."""
        raise NotImplementedError(f'plugin {self.name}: search() is missing')

    def get_state(self):
        """What set_state() of another process needs to go on."""
        return {}

    def set_state(self, state_dict):
        """Goes on where get_state() was."""

"""Classes that lie about what they are."""


class Twin(type):
    """A class of classes that claim to be any other class."""

    def __eq__(cls, other):
        """Say yes."""
        return True

    def __ne__(cls, other):
        """Say no."""
        return False

    __hash__ = type.__hash__

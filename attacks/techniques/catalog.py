"""Every technique, registered in order: within a group the plainest comes first."""

import importlib
import pkgutil

import capfuzz.attacks.techniques as package
from capfuzz.attacks.techniques import registry

for _module in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
    importlib.import_module(f"{package.__name__}.{_module}")

# By module, however they came to be imported: the order names findings.
TECHNIQUES = dict(sorted(registry.TECHNIQUES.items(), key=lambda item: item[1].module))

__all__ = ["TECHNIQUES"]

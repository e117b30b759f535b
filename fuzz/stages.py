"""The grants and worlds of harnesses that ask one op: as small as can be, since each run builds one."""

from capfuzz.attacks.case import WorldSpec
from capfuzz.attacks.expansion.stage import SECRETS
from capfuzz.engine import Capabilities
from capfuzz.strategies import stage

FILES = {
    place: stage.WORLD.files[place]
    for place in ("/work/data.txt", "/work/sub/file.txt", "/work/out/report.txt", *SECRETS)
}
LINKS = {path: stage.LINKS[path] for path in ("/work/shortcut", "/work/alias", "/work/out/door")}
PATHS = WorldSpec(files=FILES, links=LINKS)
PLAIN_PATHS = WorldSpec(files=FILES)  # for functions that are documented to follow links
PATH_GRANT = Capabilities(fs_read=("/work/",), fs_write=("/work/out/",))
ONE_ROOT = Capabilities(fs_read=("/work/",))

HOSTS = WorldSpec(hosts=stage.WORLD.hosts)
HOST_GRANT = Capabilities(net_hosts=("api.internal", "10.0.0.1", "fd00::a:1"))
URL_GRANT = Capabilities(net_hosts=("api.internal",))
NO_WORLD = WorldSpec()

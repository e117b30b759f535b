"""Setuptools' package index: the file that a download is written to."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked

from urllib.parse import quote


def filename(root: str, path: str) -> str:
    """Return where a download named ``path`` by its URL is written; nothing is fetched."""
    from setuptools.package_index import PackageIndex

    class Offline(PackageIndex):
        """A package index that stops where it would open the URL."""

        def _download_other(self, _url: str, filename: str) -> str:
            return filename

    url = "https://packages.invalid/" + quote(path, safe="", errors="surrogatepass")
    return Offline()._download_url(url, root)  # noqa: SLF001 - where the CVE is

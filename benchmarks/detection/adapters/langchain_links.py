"""Langchain's link extraction, told to keep to one site."""

# ruff: noqa: PLC0415 - the package is only there where it is attacked


def allowed(allowed_hosts: list[str], url: str) -> bool:
    """Tell whether a crawler of an allowed site is handed ``url`` when a page links to it."""
    from langchain_core.utils.html import extract_sub_links

    page = f'<a href="{url}">x</a>'
    hosts = [f"[{host}]" if ":" in host else host for host in allowed_hosts]
    sites = [f"{scheme}://{host}" for host in hosts for scheme in ("https", "http")]
    return any(
        url in extract_sub_links(page, site, base_url=site, prevent_outside=True) for site in sites
    )

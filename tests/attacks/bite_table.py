"""Which broken checker each technique falls to: `CHECKERS` has the checkers by these names."""

from .bite_archive import FALLS_TO as ARCHIVE
from .bite_eval import FALLS_TO as EVAL
from .bite_http import BITTEN
from .bite_ssrf import FALLS_TO as SSRF

# The careless guard or consumer that is named after the technique itself.
_OWN = {
    "host guard": (
        "ipv6-mapped ipv4-byte-order ipv4-overflow ipv4-extra-parts ipv4-lenient-number "
        "ipv4-digits ipv4-prefix ipv4-range ipv4-cidr ipv4-loopback address-name ipv6-brackets "
        "ipv6-length ipv6-neighbour ipv6-malformed ipv6-name host-empty-label host-long host-cut "
        "host-punycode host-punycode-broken host-case host-case-unicode host-homograph "
        "host-accents host-ignorable host-bidi host-dot-unicode host-deviation host-unencodable "
        "outside-host implicit-host host-subdomain host-www host-infix host-part host-nothing "
        "host-sibling host-first-label host-label-order host-near host-slug host-then-path "
        "host-backslash host-as-url host-nul host-control host-percent host-percent-double "
        "host-regex-line host-pattern host-list host-quoted host-escaped"
    ),
    "opens": (
        "blank-around-dots percent-nul overlong-two overlong-raw percent-u html-entities "
        "source-escapes mail-encodings ignorable-between-dots path-parameters variable-defaults "
        "quoting globbing rejoined-twice rejoined-backslash rejoined-here collapsed-dots "
        "folded-percent percent-folded slash-lookalikes low-byte"
    ),
    "tool guard": (
        "outside-tool implicit-tool tool-suffix tool-infix tool-part tool-nothing tool-near "
        "tool-list tool-call-text tool-case-unicode tool-compatible tool-homograph "
        "tool-ignorable tool-blank tool-control tool-unencodable tool-member tool-separator "
        "tool-camel tool-path tool-escaped tool-attribute tool-op-kind"
    ),
    "url guard": (
        "url-userinfo url-query url-delimiter url-brackets url-line-break url-nul url-space "
        "url-percent url-percent-double url-percent-unicode url-folded-mark url-unicode-dot "
        "url-compatible url-outside url-slashes url-scheme-case url-scheme-other url-scheme-file "
        "url-wrapped url-nested url-port url-port-empty url-slashes-backslash url-scheme-tab"
    ),
}

_BY_CHECKER = {
    # shipped faults of sessions
    "fault host_decimal_ip": (
        "ipv4-decimal ipv4-hex ipv4-octal ipv4-short ipv4-dotted-hex ipv4-dotted-octal ipv4-mixed"
    ),
    "fault host_trailing_dots_stripped": "ipv4-trailing-dot host-trailing-dots",
    "fault host_octal_read_as_decimal": "ipv4-octal-misread",
    "fault host_case_unfolded_unicode": "host-compatible",
    "fault host_suffix_match": "host-suffix",
    "fault host_prefix_match": "host-prefix",
    "fault host_port_stripped": "host-port",
    "fault host_userinfo": "host-userinfo",
    "fault host_blank_stripped": "host-blank",
    "fault host_dot_matches_any": "host-regex-dot",
    "fault follows_redirects": "redirect-outside redirect-chain",
    "fault empty_list_means_all": (
        "host-empty-list nothing-readable nothing-writable empty-path-under-nothing tool-empty-list"
    ),
    "fault prefix_without_boundary": (
        "sibling-word sibling-dash sibling-dot sibling-digit sibling-file sibling-odd-separator "
        "sibling-noncanonical sibling-of-file sibling-of-missing sibling-of-link "
        "sibling-of-spelled-grant sibling-of-odd-grant"
    ),
    "fault root_anywhere": "root-inside-path outside-with-ending grants-as-pattern",
    "fault path_case_folded": "case-twin grant-case-twin",
    "fault dotdot_only_at_start": (
        "climb climb-past-top climb-to-folder climb-with-dots climb-with-slashes "
        "climb-back-and-out climb-via-neighbour climb-after-folder climb-after-missing "
        "climb-after-file climb-after-honest-name climb-after-broken climb-behind-query "
        "climb-before-query device-then-climb"
    ),
    "fault nul_truncates": "nul-after-honest",
    "fault controls_dropped_after_check": (
        "nul-inside-dots control-between-dots control-after-dots control-before-dots "
        "line-break-after-dots"
    ),
    "fault decode_after_check": (
        "percent-dots percent-one-dot percent-slash percent-dots-and-slash percent-everything "
        "percent-folder-dots"
    ),
    "fault double_decode_after_check": (
        "double-percent double-percent-slash double-percent-digits double-percent-mixed nibble"
    ),
    "fault writes_use_read_list": (
        "write-to-readable grant-of-everything link-to-readable rights-crossed"
    ),
    "fault grant_widened_by_write": "write-then-read widen-beside",
    "fault boundary_on_last_root_only": "sibling-of-several",
    "fault longest_prefix_mix": (
        "grants-nested grants-common-parent grants-sharing-letters grants-in-order grants-many"
    ),
    "fault grant_read_as_glob": "grant-like-glob",
    "fault trailing_slash_grants_nothing": "plain-file honest-of-odd-grant",
    "fault first_root_only": "honest-of-several",
    "fault refuses_dots_in_names": "honest-dots",
    "fault hangs_on_long_path": "name-too-long deep-path",
    "fault links_followed": (
        "link-to-directory link-noncanonical link-to-sibling link-chain link-target-spelling "
        "link-to-ancestor"
    ),
    "fault parent_of_missing": "link-dangling",
    "fault strip_once_dotdot": "rejoined-climb",
    "fault nfkc_after_check": (
        "fullwidth-dots fullwidth-slash dot-leaders small-full-stop vertical-dots"
    ),
    "fault backslash_to_slash_after_check": "backslash-climb mixed-separators",
    "fault clock_judged_before_reading": "clock-boundary",
    "fault clock_started_late": "clock-origin",
    "fault zero_budget_means_unlimited": "clock-zero-wall limit-zero-ops output-zero",
    "fault clock_gives_time_back": "clock-backwards",
    "fault exists_leak": "existence-of-file existence-by-link",
    "fault write_before_check": "existence-by-write",
    "fault fetch_before_check": "existence-of-name",
    "fault no_halt_after_hard": "halt-after-each halt-retry",
    "fault halt_forgets": "halt-forgotten",
    "fault reset_budget_by_op": "limit-granted-anew",
    "fault cache_keyed_too_loosely": "cache-path-key",
    "fault cache_keyed_by_first_segment": "cache-op-key",
    "fault denials_tire_guard": "tired-guard ops-flood-of-guesses",
    "fault max_ops_off_by_one": "ops-boundary",
    "fault denied_ops_not_charged": "ops-denied-charged ops-mixed-charges",
    "fault malformed_not_charged": "ops-malformed-charged",
    "fault failed_ops_not_charged": "ops-failure-charged",
    "fault tool_output_unmetered": "output-exact output-door-at-limit reenter-output",
    "fault output_checked_after_return": "output-one-over output-flood",
    "fault output_per_op": "output-accumulated",
    "fault raises_on_malformed": (
        "reenter-malformed kind-of-no-str arity-short type-of-path type-of-data type-of-host "
        "type-of-tool"
    ),
    "fault charged_after_effect": "reenter-ops",
    "fault clock_never_read": "reenter-time",
    "fault batch_charged_once": "batch",
    "fault ops_race": "race-for-last-op",
    "fault refusals_evicted": "refusals-evicted",
    "fault output_race": "race-for-last-bytes",
    "fault tool_error_raises": "tool-raises tool-missing",
    "fault lying_str_believed": "lying-forbidden",
    "fault output_in_characters": "unit-exact unit-one-over unit-written-text",
    "fault tool_namespace_dropped": "granted-tool tool-namespace",
    "fault tool_prefix_match": "tool-prefix",
    "fault wildcard_tool": "tool-pattern",
    "fault wildcard_in_granted_tool": "tool-literal-star",
    "fault tool_case_insensitive": "tool-case",
    # shipped faults of URL readers
    "url fault refuses_queries": "honest-url",
    "url fault cut_at_last_at": "url-mention",
    "url fault netloc_cut_at_colon": "url-password",
    "url fault decoded_before_parsing": "url-userinfo-odd",
    "url fault hostname_in_list": "url-backslash",
    "url fault fragment_in_authority": "url-fragment",
    "url fault cut_at_tab": "url-tab",
    "url fault two_slashes_are_local": "url-relative",
    "url fault leading_blank_is_relative": "url-schemeless url-scheme-blank url-scheme-control",
    # careless sessions
    "session FollowsUnlessListed": "redirect-alike redirect-spelt",
    "session Follower": "redirect-loop",
    "session FollowsTrusted": "redirect-then-ask",
    "session JudgesTheEnd": "redirect-from-outside",
    "session TrustsTools": "redirect-by-tool tool-reentry",
    "session OneText": "host-several-grants tool-several-grants",
    "session NearestInOrder": "host-many-grants",
    "session Ancestors": "host-nested-grants",
    "session Forgetful": "host-memory tool-memory",
    "session LearnsFromText": "host-tool-answer",
    "session JoinsUrl": "route-completes-authority",
    "session ResolvesPath": "route-is-a-url",
    "session ReadsArguments": "tool-arguments tool-target-first",
    "session Folds": "tool-twins",
    "session AnyType": "tool-name-type",
    # careless guards, of another technique or not the first of their own
    "host guard ipv6-mapped": (
        "ipv6-compatible ipv6-translated ipv6-nat64 ipv6-6to4 ipv6-teredo ipv6-isatap"
    ),
    "host guard ipv6-expanded": "ipv6-zone",
    # paths
    "refuses climbs alone": "outside",
    "refuses known folders": "outside-noncanonical outside-many-slashes kernel-files",
    "opens an absolute rest": "absolute-below-root",
    "asks whether the root begins so": "outside-ancestor shortened-root",
    "takes relative for inside": "relative nothing",
    "takes relative for inside, trims": "blank-before-slash",
    "takes a URL for relative": "file-scheme other-scheme",
    "opens a URL below the root": "scheme-below-root",
    "compares no more than a beginning": "climb-to-sibling",
    "compares any case of what is left": (
        "case-twin-after-climb folding-letters folding-letters-after-climb"
    ),
    "compares NFKC": "decomposed-root compatible-root grant-unicode-twin",
    "compares what is visible": "ignorable-in-root",
    "compares the decoded path": "encoded-root",
    "asserts that nothing climbs": "climb-out-and-in",
    "trusts .txt, NUL cuts": "nul-before-suffix",
    "finds the root anywhere, NUL cuts": "nul-after-target",
    "takes relative for inside, drops NUL": "nul-inside-root",
    "asserts that nothing is to trim": "blank-after-file",
    "compares the first line": "second-line",
    "opens double-percent": (
        "percent-backslash double-percent-backslash triple-percent quadruple-percent"
    ),
    "decodes and opens an absolute rest": "percent-absolute",
    "opens overlong-two": "overlong-three overlong-four overlong-six overlong-malformed",
    "decodes strictly": "broken-percent",
    "opens ignorable-between-dots": "ignorable-around-dots bidi-controls",
    "asserts that segments are few": "path-too-long",
    "a buffer cuts the check": "climb-beyond-limit",
    "trusts .txt, a buffer cuts": "suffix-beyond-limit",
    "a buffer cuts": "cut-to-target",
    "judges the folder alone": "link-to-file link-portal",
    "resolves what exists": "link-new-leaf",
    "judges text, opens the path": "link-then-climb",
    "collapses what loops": "link-loop-then-climb",
    "asserts that nothing is a link": "link-inside",
    "takes /proc for harmless": (
        "procfs-root procfs-cwd procfs-descriptor procfs-data procfs-executable procfs-below-root"
    ),
    "opens in another process": "procfs-alias",
    "drops a query": "query-after-dots",
    "takes relative for inside, expands ~": "home",
    "expands ~ after the root": "home-below-root",
    "expands unset variables": "variables",
    "opens quoting": "escaping",
    "judges no pattern": "globbed-target",
    "opens the last of a list": "list-of-paths",
    "formats the path": "format-fields",
    "drops surrogates": "lone-surrogate",
    "judges nothing unencodable": "climb-after-surrogate",
    "converts to UTF-16": "reversed-surrogates",
    "looks characters up": "unassigned",
    "asserts that NFKC fits": "many-marks",
    "opens fullwidth-dots": "fullwidth-backslash",
    "opens slash-lookalikes": "ideographic-stops backslash-lookalikes",
    "joins as Windows does": (
        "backslash-absolute drive-absolute drive-relative verbatim device-namespace"
    ),
    "takes relative for inside, on Windows": "drive-alone",
    "opens devices in every folder": "device-names",
    "expects one colon": "streams",
    "looks short names up": "short-names",
    "expects an extension": "trailing-dots",
    "reads DOS wildcards": "dos-wildcards",
    "expects a last name": "slash-at-end",
    # grants
    "grants the folder of a file": "grant-of-file",
    "drops grants that are missing": "grant-of-missing",
    "grants the parent of a link's target": "grant-of-link",
    "one missing grant drops all": "grant-of-broken-link",
    "grants what roots have in common": "grants-apart",
    "grants the parent of an odd spelling": "grant-with-slashes grant-with-dots",
    "matches grants": "grant-like-regex",
    "splits grants": "grant-like-list",
    "expands variables in grants": "grant-like-variable",
    "trims grants": "grant-with-blank",
    "grants the parent of a repeated root": "grant-twice",
    # sessions
    "takes writing to include reading": "read-of-writable read-inside-writable",
    "writes nothing over": "doors-agree",
    "follows links by hand": "link-chain-too-long link-loop",
    "opens shares": "unc",
    "explains a repeated refusal": "existence-in-sequence",
    "trusts a budget beyond a word": "limit-huge",
    "remembers refusals loosely": "cache-of-refusals",
    "trusts an agent that behaved": "trusting-guard",
    "checks every other op": "sampled-guard",
    "trusts after a failure": "after-failure",
    "trusts one door for another": "after-other-doors",
    "reads an op before its budget": "ops-limit-before-check",
    "charges a repeated op once": "ops-same-again output-same-again",
    "charges refusals": "output-of-refusal",
    "charges errors": "output-of-failure",
    "trusts ops of tools": "reenter",
    "trusts ops of tools of tools": "reenter-nested",
    "forgets that a tool has ended": "reenter-trust-left",
    "folds kinds after the check": "kind-look-alike",
    "reads where no kind fits": "kind-of-no-handler",
    "acts on the last argument": "arity-long",
    "takes lists, checks tuples": "sequence-of-other-type",
    "trusts after garbage": "after-malformed",
    "asserts that texts are short": "overlong",
    "takes nothing for a refusal": "tool-says-nothing",
    "believes a tool": "tool-speaks",
    "obeys what it reads": "tool-instructs",
    "compares with what was allowed": "lying-granted",
    "owns what it refused": "widen-by-refused-op",
    "reads its grant from a file": "widen-by-content",
    "grants on demand": "widen-by-unknown-op",
    "answers from memory": "overwritten",
    # budgets and clocks
    "meters no writes and tools": "clock-door-late halt-door ops-honest-kind ops-door-at-limit",
    "reads no clock for refusals": "clock-unread",
    "counts while the clock moves": "clock-stopped",
    "keeps time in 32 bits": "clock-jump",
    "keeps time in a float": "clock-precision",
    "cools down": "halt-cools-down",
    "asks for the time first": "limit-of-two",
    "halts when used up": "limit-reached-not-exceeded",
    "charges an empty output": "output-empty",
    "keeps the first size": "output-grown-file",
    "charges no redirect": "output-redirect",
    "measures decoded text": "unit-raw-bytes",
    "encodes output strictly": "unit-lone-surrogate",
    # names refused or raised on
    "looks addresses up as written": "ipv6-expanded ipv6-case",
    "refuses hosts without a dot": "granted-host",
    "refuses hidden names": "honest-hidden",
    "refuses percent signs": "honest-percent",
    "refuses blanks": "honest-blank",
    "refuses what is not ASCII": "honest-unicode",
    "refuses what NFKC changes": "honest-fullwidth",
    "refuses the root's name twice": "honest-like-root",
    "refuses alarming names": "honest-alarming",
    "refuses capitals": "honest-case",
    "refuses punctuation": "honest-punctuation",
    "refuses deep paths": "honest-depth",
    # URLs
    "refuses URLs without a path": "granted-url",
    "exits at an unknown scheme": "url-other-scheme",
}

FALLS_TO = {
    **{one: f"{kind} {one}" for kind, names in _OWN.items() for one in names.split()},
    **{
        one: checker
        for checker, names in (_BY_CHECKER | ARCHIVE | EVAL | SSRF | BITTEN).items()
        for one in names.split()
    },
}

# What shows in these is over-blocking or a wrong word, not an escape.
_WARNED = (
    "granted-host doors-agree plain-file honest-of-several honest-of-odd-grant honest-dots "
    "honest-hidden honest-percent honest-blank honest-unicode honest-fullwidth honest-like-root "
    "honest-alarming honest-case honest-punctuation honest-depth limit-of-two "
    "limit-reached-not-exceeded cache-of-refusals ops-limit-before-check output-empty "
    "output-of-refusal output-of-failure tool-says-nothing tool-speaks overwritten granted-tool "
    "honest-python honest-jinja honest-javascript "
    "granted-url honest-url public-address public-url near-miss unpacked-honest-name"
)
WARNED = frozenset(_WARNED.split())

# What shows in these is a difference between two runs.
COMPARED = frozenset({"existence-of-file", "existence-by-link"})

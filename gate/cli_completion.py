"""``capfuzz completion``: what makes a shell complete commands, options, families and findings."""

import click
from capfuzz.gate.cli_shared import CONTEXT, examples
from click.shell_completion import get_completion_class


@click.command(
    context_settings=CONTEXT,
    epilog=examples(
        'eval "$(capfuzz completion bash)"      # in ~/.bashrc',
        'eval "$(capfuzz completion zsh)"       # in ~/.zshrc',
        "capfuzz completion fish > ~/.config/fish/completions/capfuzz.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print what makes SHELL complete the words after capfuzz."""
    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(context.find_root().command, {}, "capfuzz", "_CAPFUZZ_COMPLETE")
    click.echo(made.source())
    return 0

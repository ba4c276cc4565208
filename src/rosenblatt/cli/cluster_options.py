"""The options of `train` for several processes, and several machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import options, tell
from rosenblatt.cli.types import Address
from rosenblatt.learning.plan import MIXES

if TYPE_CHECKING:
    from rosenblatt.learning.learners import Recipe

IN_ONE_PROCESS = ["calibrate", "keep_log", "auto", "python"]
ON_ONE_MACHINE = ["stream", "window", "cache"]


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """Who learns from which shards of the rows."""

    workers: int | None
    dask: str | None
    shards: int | None
    mix: str | None
    force: bool

    def refuse_no_workers(self) -> None:
        """Refuses what is only for shards, and what shards cannot do."""
        if self.workers is None and self.dask is None:
            options.refuse_useless(["shards", "mix", "force"], "without --workers N or --dask, who learn from the shards")
            return
        if self.dask is not None:
            options.refuse_useless(ON_ONE_MACHINE, "on a cluster, whose workers read the rows themselves")
            options.refuse_useless(["force"], "on a cluster, which is not measured before")
            self.refuse_rows_here()
            if self.workers is not None and self.dask != "local":
                raise click.UsageError("A cluster has the workers that it has: leave out --workers, or take --dask local.")
        if taken := [max(option.opts, key=len) for option in options.typed() if option.name in IN_ONE_PROCESS]:
            raise click.UsageError(f"{taken[0]} trains in one process: leave it out, or --workers and --dask.")

    def refuse_rows_here(self) -> None:
        """Refuses what needs all rows in one process."""
        typed = {option.name for option in options.typed()}
        if "holdout" in typed:
            raise click.UsageError("A cluster holds no rows out: put some into a file of their own, and name it with --dev.")
        if "certify" in typed:
            raise click.UsageError("--certify needs all rows in one process: leave it out, or --dask.")

    def with_shards(self, recipe: Recipe) -> Recipe:
        """The recipe with the shards."""
        from rosenblatt.cluster.local import SHARDS, refuse_no_shards

        recipe = replace(recipe, shards=self.shards or SHARDS, mix=self.mix or MIXES[0])
        refuse_no_shards(recipe)
        return recipe

    def runner(self, recipe: Recipe) -> Callable[..., Any]:
        """What trains in place of this process."""
        from rosenblatt.cluster.local import LocalWorkers

        assert self.workers is not None
        assert recipe.shards is not None
        advise = None if self.force else lambda advice: tell(advice.sentence())
        return LocalWorkers(self.workers, recipe.shards, recipe.mix, advise, tell).run


def dask(help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """On which cluster."""
    return click.option("--dask", type=Address(), metavar="ADDRESS|local", help=help)


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds them to a command."""
    for option in (
        click.option("--workers", type=click.IntRange(1), metavar="N", help="Learn on N cores, side by side."),
        dask("Learn on this Dask cluster, or on one of this machine."),
        click.option(
            "--shards",
            type=click.IntRange(1),
            metavar="S",
            help="With --workers or --dask: cut the rows into S, 8 by default. The model depends on it, and not on N.",
        ),
        click.option("--mix", type=click.Choice(MIXES), help="With shards: all count alike, or by their updates."),
        click.option("--force", is_flag=True, help="With --workers: also where they are not worth it, unmeasured."),
    ):
        command = option(command)
    return command

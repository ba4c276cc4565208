"""Numbers as a page shows them."""

from __future__ import annotations


def percent(share: float, decimals: int = 2) -> str:
    """A share with its sign on the same line.

    >>> percent(0.146)
    '14.60\\xa0%'
    """
    return f"{100 * share:.{decimals}f}\u00a0%"


def signed(value: float, style: str = ".3g") -> str:
    """A number with a minus that is as wide as a plus.

    >>> signed(-0.4251)
    '−0.425'
    """
    return format(value, style).replace("-", "−")

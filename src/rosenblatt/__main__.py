"""`python -m rosenblatt` is the command line."""

from rosenblatt.cli import main

main()

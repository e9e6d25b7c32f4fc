"""``python -m irenic`` is the command ``irenic``."""

from irenic.cli import main

if __name__ == "__main__":
    main()

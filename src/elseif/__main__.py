"""python -m elseif: the program, for when its script is not on the path."""

from elseif.cli.main import main

if __name__ == "__main__":
    main()

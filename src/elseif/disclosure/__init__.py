"""What may leave the machine: numbers of people rounded, and the result attacked before writing."""

"""What may leave the machine: rounded numbers of people, attacked before they are written."""

"""What leaves the program: the model file, and the list in other languages."""

"""Truth values by row: masks, and the words that they are packed into."""

"""Why a list says what it says of a case, and what would change it."""

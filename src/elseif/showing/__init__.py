"""Text, HTML and figures of what other rooms compute; it imports none of them."""

"""Pages that people read: one self-contained HTML file each, drawn from plain data."""

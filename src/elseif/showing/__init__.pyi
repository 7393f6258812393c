from elseif.showing.figures import (
    COLOURS as COLOURS,
    INK as INK,
    MUTED as MUTED,
    SOFT as SOFT,
    escape_mathtext as escape_mathtext,
    new_figure as new_figure,
    tidy as tidy,
)

"""Names that have broken pages elsewhere."""

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    '"; DROP TABLE patients; --',
    '=HYPERLINK("http://example.org")',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }} {% raw %} ${7*7} &lt; &amp;amp;",
    "a & b : c\nd",
    "crème brûlée / cre\u0300me",
    "👩‍⚕️ heart ❤️",
    "\u202egnp.exe\u202c",
    "zero\u200bwidth",
    "line\u2028separator",
    "__proto__",
    "constructor",
    "x" * 10_000,
)

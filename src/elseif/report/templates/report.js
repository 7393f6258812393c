"use strict";
// The report reads without any script: this one copies the methods paragraph, and unfolds for print.
(() => {
  const button = document.getElementById("copy-methods");
  const text = document.getElementById("methods-text");
  const said = document.getElementById("copied");

  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text.innerText.trim());
      return true;
    } catch {
      select(); // pages opened from a disk may not have the clipboard
      return document.execCommand("copy");
    }
  };

  button.hidden = false;
  button.addEventListener("click", async () => {
    said.textContent = (await copy()) ? "Copied." : "Selected: copy it with Ctrl+C or ⌘C.";
  });

  const folded = () => [...document.querySelectorAll("details.folded:not([open])")];
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = folded();
    for (const each of opened) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });
})();

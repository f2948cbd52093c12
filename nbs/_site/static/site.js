// What scrolls sideways can be reached with the keyboard, and says what it is.
function reachable() {
  for (const box of document.querySelectorAll("pre, article table, .table-wrapper, .cell_output > .output, .math-wrapper, div.math")) {
    if (box.scrollWidth <= box.clientWidth + 1) { box.removeAttribute("tabindex"); continue; }
    box.tabIndex = 0;
  }
}
addEventListener("load", reachable);
addEventListener("resize", reachable);

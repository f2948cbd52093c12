// A long table shows its first rows; a button shows all. Paper, and a page without this script, have every row.
const LONG = 25, SEEN = 15;
const fold = table => { if (table.dataset.short) [...table.tBodies[0].rows].forEach((r, i) => r.classList.toggle("rest", i >= SEEN)); };
document.querySelectorAll("main[data-all-rows] table:not(.micgrid):not(.stack)").forEach(table => {
  const body = table.tBodies[0];
  if (!body || body.rows.length <= LONG || table.closest("details")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "more";
  button.textContent = document.querySelector("main").dataset.allRows.replace("{n}", body.rows.length);
  button.addEventListener("click", () => { delete table.dataset.short; button.remove(); });
  table.dataset.short = "1";
  table.after(button);
  fold(table);
});

// Tables whose headings sort their rows, by the number a cell carries or by its text. Without this script a table is a table.
document.querySelectorAll("main table:not(.micgrid)").forEach(table => {
  const body = table.tBodies[0], head = table.tHead && table.tHead.rows[0];
  if (!head || !body || body.rows.length < 3) return;
  [...head.cells].forEach((th, i) => {
    if (!th.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...th.childNodes);
    th.append(button);
    button.addEventListener("click", () => {
      const up = th.getAttribute("aria-sort") !== "ascending";
      for (const other of head.cells) other.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = row => {
        const cell = row.cells[i], text = cell ? cell.textContent.trim() : "";
        const value = cell && cell.dataset.value !== undefined ? +cell.dataset.value : text === "" ? NaN : Number(text);
        return { value, text, empty: !text || text.startsWith("–") };
      };
      const numeric = [...body.rows].some(r => r.cells[i] && r.cells[i].dataset.value !== undefined);
      const rows = [...body.rows].map(r => [key(r), r]);
      rows.sort(([a], [b]) => {
        if (a.empty !== b.empty) return a.empty ? 1 : -1;   // what is missing comes last either way
        const bothNumbers = !isNaN(a.value) && !isNaN(b.value);
        if (numeric && !bothNumbers && isNaN(a.value) !== isNaN(b.value)) return isNaN(a.value) ? 1 : -1;
        const order = bothNumbers ? a.value - b.value : a.text.localeCompare(b.text, undefined, { numeric: true });
        return up ? order : -order;
      });
      body.append(...rows.map(([, r]) => r));
      fold(table);
    });
  });
});

// A page with folded parts or many samples gets a filter: rows and samples without the word are hidden, parts with it are opened.
const main = document.querySelector("main"), folds = [...main.querySelectorAll("details.fold, details.part")];
const samples = [...main.querySelectorAll("details.sample")], first = main.querySelector("h2");
if (first && main.dataset.filter && (main.querySelector("details.fold") || samples.length > 8)) {
  const box = document.createElement("p"), input = document.createElement("input"), said = document.createElement("span");
  box.className = "filter";
  input.type = "search";
  input.placeholder = main.dataset.filter;
  input.setAttribute("aria-label", main.dataset.filter);
  said.setAttribute("role", "status");
  box.append(input, said);
  (first.closest(".text, .html") || first).before(box);
  const rows = [...main.querySelectorAll("details.fold tbody tr")], before = new Map(folds.map(d => [d, d.open]));
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = e => words.every(w => e.textContent.toLowerCase().includes(w));
    for (const e of [...rows, ...samples]) e.hidden = !fits(e);
    for (const d of folds) {
      const inside = d.querySelectorAll("tbody tr:not([hidden])").length;
      d.hidden = words.length > 0 && inside === 0;
      d.open = words.length ? inside > 0 : before.get(d);
    }
    const left = [...rows, ...samples].filter(e => !e.hidden).length;
    said.textContent = words.length ? ` ${left} / ${rows.length + samples.length}` : "";
  });
}

// A number and its unit stay on one line of running text; the page itself keeps plain spaces, which a search finds.
const UNIT = /(\d) (?=(?:mg\/L|µg\/mL|%|px|ms|s|min|kB|MB|GB)(?![\w\/]))/g;
for (const e of main.querySelectorAll("p, li")) {
  const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(UNIT, "$1\u00a0");
}
addEventListener("beforeprint", () => folds.forEach(d => d.open = true));   // paper cannot be unfolded

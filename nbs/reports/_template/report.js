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
    });
  });
});

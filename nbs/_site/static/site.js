// What scrolls can be reached with the keyboard, and says what it is.
function reachable() {
  for (const box of document.querySelectorAll("pre, article table, .table-wrapper, .cell_output > .output, .math-wrapper, div.math")) {
    const still = box.scrollWidth <= box.clientWidth + 1 && box.scrollHeight <= box.clientHeight + 1;
    if (still) { box.removeAttribute("tabindex"); continue; }
    box.tabIndex = 0;
  }
}
addEventListener("load", reachable);
addEventListener("resize", reachable);

// Above the results of the search: the three tasks of the guide that are nearest to the question, as finder.py ranks them.
const FILLERS = new Set("a an and the of for to in on at is it my i do does how what with from by or as be can need want get".split(" "));
function wordsOf(text) {
  const found = [];
  for (const w of text.toLowerCase().match(/[a-z0-9]+|[\u4e00-\u9fff]+/g) || []) {
    if (w[0] > "\u4dff") {
      if (w.length === 1) found.push(w);
      for (let i = 0; i < w.length - 1; i++) found.push(w.slice(i, i + 2));
    } else if (!FILLERS.has(w)) found.push(w.length > 3 && w.endsWith("s") && !w.endsWith("ss") ? w.slice(0, -1) : w);
  }
  return found;
}
function nearestTasks(question, tasks) {
  const titles = tasks.map(t => new Set(wordsOf(t.en + " " + t.zh))), others = tasks.map(t => new Set(wordsOf(t.words)));
  const scores = tasks.map(() => 0);
  for (const w of new Set(wordsOf(question))) {
    const held = tasks.filter((t, i) => titles[i].has(w) || others[i].has(w)).length;
    const rare = Math.log(1 + tasks.length / (1 + held));
    tasks.forEach((t, i) => {
      if (titles[i].has(w)) scores[i] += 2 * rare;
      else if (others[i].has(w)) scores[i] += rare;
      else if (w.length > 4 && [...titles[i], ...others[i]].some(o => o.startsWith(w.slice(0, 5)))) scores[i] += rare / 2;
    });
  }
  return tasks.map((t, i) => [scores[i], i]).filter(o => o[0] > 0).sort((a, b) => b[0] - a[0] || a[1] - b[1])
    .map(o => tasks[o[1]]);
}
addEventListener("load", async () => {
  const place = document.getElementById("search-results"), question = new URLSearchParams(location.search).get("q");
  if (!place || !question) return;
  const found = nearestTasks(question, await (await fetch("_static/tasks.json")).json()).slice(0, 3);
  if (!found.length) return;
  const list = document.createElement("ul");
  list.id = "nearest-tasks";
  for (const t of found) {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = t.page + ".html";
    link.textContent = /[\u4e00-\u9fff]/.test(question) ? t.zh + " " + t.en : t.en;
    item.append(link);
    if (t.command) { const code = document.createElement("code"); code.textContent = t.command; item.append(" ", code); }
    list.append(item);
  }
  place.before(list);
});

"use strict";
const $ = (s, within = document) => within.querySelector(s), all = (s, within = document) => [...within.querySelectorAll(s)];
const words = JSON.parse($("#words").textContent), w = text => words[text] || text;
const typing = e => e.isComposing || e.keyCode === 229;
function tell(text) { $("#told").textContent = text; }
async function send(path, body, method = "POST") {
  const how = { method, headers: { "X-Desk": "1" } };
  how.body = body instanceof Blob ? body : JSON.stringify(body || {});
  let answer, found = {};
  try { answer = await fetch(path, how); found = await answer.json(); }
  catch (e) { found = { error: w("the connection is gone; trying again") }; }
  return { ok: !!answer && answer.ok, status: answer ? answer.status : 0, found };
}
const go = path => { location.href = path; };
async function act(path, body, then) {
  const { ok, found } = await send(path, body);
  if (ok) then(found); else tell(found.error || w("Not saved"));
}

$("#language").onclick = e => act("/api/lang", { lang: e.currentTarget.dataset.to }, () => location.reload());

async function upload(file, query, then) {
  if (file.size > 64 * 1024 * 1024) { tell(w("this file is larger than 64 MB")); return; }
  tell(w("Sending") + " " + file.name + " ...");
  const { ok, found } = await send("/api/upload?name=" + encodeURIComponent(file.name) + query, file, "PUT");
  if (ok) then(found); else tell(found.error || w("Not saved"));
}
for (const input of all("[data-upload]")) input.onchange = () => input.files[0] && upload(input.files[0], "", found => go("/job/" + found.job));

const questions = $("#questions");
if (questions) {
  const job = questions.dataset.job;
  const answers = () => Object.fromEntries(new FormData(questions));
  for (const select of all("select, input", questions)) select.onchange = () => {
    const said = {}; said[select.name] = select.value;
    if (select.name === "breakpoints") { act(`/api/job/${job}/answers`, said, () => tell(w("Saved"))); return; }
    act(`/api/job/${job}/answers`, said, () => go(location.pathname + "?show=asking"));
  };
  questions.onsubmit = e => e.preventDefault();
  $("#compare").onclick = () => act(`/api/job/${job}/answers`, answers(), () => act(`/api/job/${job}/start`, {}, () => go("/job/" + job)));
}

const layout = $("#layout");
if (layout) {
  const job = layout.dataset.job;
  const held = found => { $("#held").textContent = `${found.wells}: ${found.drugs.join(", ")}`; $("#read").disabled = false; tell(w("Saved")); };
  layout.onsubmit = e => e.preventDefault();
  $("[data-layout]").onchange = e => e.target.files[0] && upload(e.target.files[0], "&job=" + job, held);
  $("#drawn").onclick = () => {
    const cells = {};
    for (const i of all("[data-well]")) if (i.value.trim()) cells[i.dataset.well] = i.value.trim();
    act(`/api/job/${job}/layout`, { cells }, held);
  };
  layout.addEventListener("paste", e => {   // a block copied from a spreadsheet fills the wells from here on
    const text = e.clipboardData.getData("text"), from = e.target.dataset.well;
    if (!from || !/[\t\n]/.test(text)) return;
    e.preventDefault();
    text.trimEnd().split(/\r?\n/).forEach((line, r) => line.split("\t").forEach((v, c) => {
      const name = String.fromCharCode(from.charCodeAt(0) + r) + (+from.slice(1) + c), i = $(`[data-well="${name}"]`);
      if (i) i.value = v.trim();
    }));
  });
  if ($("#q-panel")) $("#q-panel").onchange = e => e.target.value && act(`/api/job/${job}/layout`, { panel: e.target.value }, held);
  const marks = all(".corner", layout), svg = $("#photo-corners"), NS = "http://www.w3.org/2000/svg";
  let wide = 0;
  const point = i => i.value.replace("，", ",").split(",").map(Number);
  function crosses() {
    all("g", svg).forEach(g => g.remove());
    for (const i of marks) {
      const [x, y] = point(i); if (!i.value || !isFinite(x) || !isFinite(y)) continue;
      const g = document.createElementNS(NS, "g"), r = wide / 60;
      for (const [css, width] of [["dark", wide / 180], ["light", wide / 450]]) {
        const c = document.createElementNS(NS, "path"); c.setAttribute("class", css); c.setAttribute("stroke-width", width);
        c.setAttribute("d", `M${x - r} ${y}H${x + r}M${x} ${y - r}V${y + r}`); g.append(c);
      }
      svg.append(g);
    }
  }
  async function photo() {
    if (wide || !$("#corners").open) return;
    const answer = await fetch(`/api/job/${job}/photo`), found = await answer.json();
    if (!answer.ok) { tell(found.error); return; }
    wide = found.width; svg.setAttribute("viewBox", `0 0 ${found.width} ${found.height}`);
    const image = document.createElementNS(NS, "image"); image.setAttribute("width", found.width); image.setAttribute("height", found.height);
    image.setAttribute("href", `/job/${job}/photo.png`); svg.append(image); crosses();
  }
  $("#corners").ontoggle = photo; photo();
  svg.onclick = e => {
    const next = marks.find(i => !i.value); if (!next || !wide) return;
    const box = svg.getBoundingClientRect(), scale = wide / box.width;
    next.value = `${Math.round((e.clientX - box.left) * scale)},${Math.round((e.clientY - box.top) * scale)}`; crosses();
    tell(w(marks.some(i => !i.value) ? "mark the next corner" : "all four corners are marked"));
  };
  for (const i of marks) i.oninput = crosses;
  $("#no-corners").onclick = () => { marks.forEach(i => { i.value = ""; }); crosses(); marks[0].focus(); };
  const corners = () => marks.some(i => i.value) ? marks.map(i => i.value.replace("，", ",").replace(/\s+/g, "")).join(" ") : "";
  $("#read").onclick = () => act(`/api/job/${job}/answers`, { pose: $("#q-pose").value, corners: corners() }, () => act(`/api/job/${job}/start`, {}, () => go("/job/" + job)));
}

const running = $("#running");
if (running) {
  const job = running.dataset.job, steps = $("#steps"), bar = $("#bar");
  const live = ["waiting", "running"].includes(running.dataset.status);
  const source = new EventSource(`/api/job/${job}/events?after=0`);
  source.onmessage = m => {
    const e = JSON.parse(m.data);
    if (e.kind === "told") { const li = document.createElement("li"); li.textContent = e.text; steps.append(li); }
    if (e.kind === "step") { bar.hidden = false; bar.max = e.of; bar.value = e.done; bar.setAttribute("aria-valuetext", `${e.done}/${e.of}`); }
    if (["done", "failed", "stopped", "interrupted"].includes(e.kind)) last = e.kind;
    if (e.kind === "waiting") last = "";
    if (last && live) { clearTimeout(timer); timer = setTimeout(() => location.reload(), 200); }
  };
  let last = "", timer;
  source.onerror = () => { if (!live || last) source.close(); else tell(w("the connection is gone; trying again")); };
  source.onopen = () => tell("");
  if ($("#stop")) $("#stop").onclick = e => { e.currentTarget.disabled = true; act(`/api/job/${job}/stop`, {}, () => location.reload()); };
  if ($("#go")) $("#go").onclick = () => act(`/api/job/${job}/start`, {}, () => location.reload());
}

for (const b of all("[data-report]")) b.onclick = async () => {
  b.disabled = true; tell("...");
  const kind = b.dataset.report;
  await act(`/api/job/${b.dataset.job}/report`, { kind }, found => { if (kind === "html") location.reload(); else { tell(""); go(`/job/${b.dataset.job}/file/${found.file}`); } });
  b.disabled = false;
};
if ($("#again")) $("#again").onclick = e => act(`/api/job/${e.currentTarget.dataset.job}/again`, {}, found => go("/job/" + found.job));

const plate = $("#plate");
if (plate) {
  const job = plate.dataset.job, svg = $("#photo"), NS = "http://www.w3.org/2000/svg";
  let data = JSON.parse($("#data").textContent), at = 0, lit = "", opened = null, undo = [];
  const draw = (name, attributes, into) => { const e = document.createElementNS(NS, name); for (const k in attributes) e.setAttribute(k, attributes[k]); into.append(e); return e; };
  const kind = c => c === "growth" ? "growth" : c === "no growth" ? "none" : "unsure";
  function wells() {
    all("[role=row]", svg).forEach(e => e.remove());
    const r = data.radius, rows = {};
    data.wells.forEach((o, i) => {
      const row = rows[o.well[0]] || (rows[o.well[0]] = draw("g", { role: "row" }, svg));
      const g = draw("g", { class: `well ${kind(o.call)}${o.seen ? "" : " inferred"}${o.said ? " said" : ""}${lit && o.drug === lit ? " lit" : ""}`, role: "gridcell", tabindex: i === at ? 0 : -1, "aria-label": o.spoken, "data-i": i }, row);
      for (const c of ["dark", "light"]) draw("circle", { class: "focus " + c, cx: o.x, cy: o.y, r: r + 7 }, g);
      if (o.said) draw("rect", { class: "ring", x: o.x - r, y: o.y - r, width: 2 * r, height: 2 * r }, g);
      else draw("circle", { class: "ring", cx: o.x, cy: o.y, r }, g);
    });
  }
  function mics() {
    const body = $("#mics tbody"); body.textContent = "";
    for (const m of data.mics) {
      const tr = document.createElement("tr"); if (m.drug === lit) tr.className = "lit";
      const cell = (text, css) => { const td = document.createElement("td"); td.textContent = text; if (css) td.className = css; tr.append(td); return td; };
      const b = document.createElement("button"); b.type = "button"; b.textContent = m.name; b.onclick = () => { lit = lit === m.drug ? "" : m.drug; show(); $(`#mics button[data-name="${CSS.escape(m.name)}"]`).focus(); }; b.dataset.name = m.name; b.setAttribute("aria-pressed", m.drug === lit);
      const th = document.createElement("th"); th.scope = "row"; th.append(b); tr.append(th);
      cell(m.mic || "–", "mic"); cell(m.reason && !m.mic ? m.reason : m.flags.join("; "), "look"); cell(m.by === "model" ? w("model") : m.by); cell(`${m.likely} (${m.percent} %)`); cell(m.wells, "signs");
      body.append(tr);
    }
    $("#failed").hidden = !data.failed;
  }
  function show() {
    wells(); mics();
    $("#flags").textContent = ""; for (const f of data.flags) { const li = document.createElement("li"); li.textContent = f; $("#flags").append(li); }
    const closed = !!data.signed;
    $("#signed").hidden = !closed; if (closed) $("#signed").textContent = `${data.signed.who}, ${$(`#sign option[value="${data.signed.meaning}"]`).textContent}, ${data.signed.when.slice(0, 16).replace("T", " ")}`;
    $("#sign").hidden = closed; $("#closed").hidden = !closed; $("#undo").disabled = closed || !undo.length; $("#unreadable").disabled = closed;
    $("#unreadable").textContent = $("#unreadable").dataset[data.unreadable ? "off" : "on"];
  }
  function open(i) {
    const o = data.wells[i], r = data.radius * 1.25; opened = i; at = i;
    $("#well-name").textContent = `${o.well} ${o.label}`; $("#well-said").textContent = o.spoken + (o.by ? `, ${o.by}` : "");
    $("#crop").setAttribute("viewBox", `${o.x - r} ${o.y - r} ${2 * r} ${2 * r}`);
    $("#why").value = ""; $("#well-problem").textContent = "";
    all(".choices button", plate).forEach(b => { b.disabled = !!data.signed; });
    $("#well").showModal();
  }
  function focus(i) { at = i; lit = data.wells[i].drug; show(); $(`[data-i="${i}"]`, svg).focus(); }
  async function say(what, to, why, before) {
    const { ok, status, found } = await send(`/api/job/${job}/say`, { what, to, why, seen: data.seen });
    if (ok) {
      if (before) undo.push([what, before]);
      data = found; show(); tell(found.changed.length ? w("MICs changed") + ": " + found.changed.join(", ") : w("no MIC changed")); return "";
    }
    if (status === 409) { const fresh = await (await fetch(`/api/job/${job}/plate`)).json(); data = fresh; show(); return found.error; }
    return found.error || w("Not saved");
  }
  async function choose(to) {
    const o = data.wells[opened], problem = await say(o.well, to, $("#why").value, o.said ? o.call : "model");
    if (problem) $("#well-problem").textContent = problem; else $("#well").close();
  }
  svg.onclick = e => { const g = e.target.closest(".well"); if (g) { lit = data.wells[+g.dataset.i].drug; show(); open(+g.dataset.i); } };
  svg.onkeydown = e => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key], here = data.wells[at];
    if (e.key === "Enter" || e.key === " ") { e.preventDefault(); open(at); return; }
    let next = -1;
    if (step) next = at + step;
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      const name = String.fromCharCode(here.well.charCodeAt(0) + (e.key === "ArrowDown" ? 1 : -1)) + here.well.slice(1);
      next = data.wells.findIndex(o => o.well === name);
    } else if (e.key === "Home") next = 0; else if (e.key === "End") next = data.wells.length - 1; else return;
    e.preventDefault();
    if (next >= 0 && next < data.wells.length) focus(next);
  };
  for (const b of all("#well .choices button")) b.onclick = () => choose(b.value);
  $("#well").onkeydown = e => {
    if (typing(e) || e.target.id === "why") return;
    const b = all("#well .choices button")["1234".indexOf(e.key)]; if (b && !b.disabled && "1234".includes(e.key)) { e.preventDefault(); choose(b.value); }
  };
  $("#well").onclose = () => { const g = $(`[data-i="${opened}"]`, svg); if (g) g.focus(); };
  $("#close").onclick = () => $("#well").close();
  $("#undo").onclick = async () => { const [what, to] = undo.pop(); const problem = await say(what, to, "", null); if (problem) tell(problem); };
  $("#unreadable").onclick = async () => { const problem = await say("plate", data.unreadable ? "readable" : "unreadable", "", null); if (problem) tell(problem); };
  $("#sign").onsubmit = async e => {
    e.preventDefault();
    const f = new FormData(e.target), problem = await say("signature", f.get("to"), f.get("why"), null);
    tell(problem || w("Saved"));
  };
  $("#version").onclick = () => act(`/api/job/${job}/version`, {}, found => go("/job/" + found.job));
  show();
}

const item = $("#item");
if (item) {
  const round = item.dataset.round.split("/").map(encodeURIComponent).join("/"), rubric = all(".rubric", item);
  const marks = () => rubric.length ? Object.fromEntries(rubric.map(f => { const c = $("input:checked", f); return [f.dataset.key, c && (/^\d+$/.test(c.value) ? +c.value : c.value)]; }).filter(o => o[1] !== null)) : ($("input:checked", item) || {}).value;
  async function keep() {
    const { ok, found } = await send(`/api/round/${round}/mark`, { code: item.dataset.code, mark: marks(), why: $("#why").value });
    if (ok) go("/round/" + round); else $("#problem").textContent = found.error;
  }
  $("#keep").onclick = keep;
  document.addEventListener("keydown", e => {
    if (typing(e) || e.ctrlKey || e.altKey || e.metaKey) return;
    const written = e.target.id === "why";
    if (e.key === "Enter" && !e.target.closest("a, button")) { e.preventDefault(); keep(); }
    if (written) return;
    if (e.key === "Backspace" && $("#back")) { e.preventDefault(); $("#back").click(); }
    if (!/^\d$/.test(e.key)) return;
    const open = rubric.length ? rubric.find(f => f.contains(document.activeElement)) || rubric.find(f => !$("input:checked", f)) : item;
    const radios = open ? all("input[type=radio]", open) : [], pick = rubric.length ? radios.find(i => i.value === e.key) || radios[+e.key - 1] : radios[+e.key - 1];
    if (pick) { pick.checked = true; pick.focus(); e.preventDefault(); }
  });
}

const pick = $("#pick");
if (pick) pick.onsubmit = e => {
  e.preventDefault();
  const two = all("input:checked", pick).map(i => i.value);
  if (two.length !== 2) { tell(w("choose two runs")); return; }
  go(`/compare?a=${encodeURIComponent(two[0])}&b=${encodeURIComponent(two[1])}`);
};

// What is wrong with an open page, as lines: quick enough for every page, where axe takes seconds. `again`: the page
// was looked at before, in other colours, and only its contrast can be another.
again => {
  const faults = [];
  const say = (rule, element) => faults.push(`${rule}: ${(element.outerHTML || "").replace(/\s+/g, " ").slice(0, 160)}`);
  const all = selector => document.querySelectorAll(selector);
  const shown = element => element.checkVisibility({visibilityProperty: true, opacityProperty: true});
  const named = element => ["aria-label", "title", "placeholder", "value"].some(a => element.getAttribute(a)?.trim())
    || element.getAttribute("aria-labelledby") || element.labels?.length || element.textContent.trim()
    || element.querySelector("img[alt]:not([alt='']), svg title");

  if (!again) {
    if (!document.documentElement.lang) say("no language", document.documentElement);
    if (!document.title.trim()) say("no title", document.head);
    if (document.documentElement.scrollWidth > innerWidth + 1) say("wider than the window", document.body);
    for (const i of all("img:not([alt])")) say("picture without words", i);
    for (const e of all("a[href], button, input:not([type=hidden]), select, textarea")) if (!named(e) && shown(e)) say("no name", e);
    for (const e of all("article th")) if (!e.textContent.trim() && shown(e)) say("empty heading of a table", e);
    const seen = new Set();
    for (const e of all("[id]")) { if (seen.has(e.id)) say("an id stands twice", e); seen.add(e.id); }

    let before = 0;
    for (const h of all("main h1, main h2, main h3, main h4, main h5, main h6, article h1, article h2, article h3")) {
      const level = Number(h.tagName[1]);
      if (level > before + 1) say("a level of headings is left out", h);
      if (!h.textContent.trim()) say("empty heading", h);
      before = level;
    }
    if (all("h1").length !== 1) say(`${all("h1").length} headings of the first level`, document.body);
  }

  // Contrast by WCAG 2: 4.5, and 3 for large letters
  const numbers = color => (color.match(/[\d.]+/g) || []).map(Number);
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((c, i) => a * c + (1 - a) * under[i]);
  const light = rgb => {
    const [r, g, b] = rgb.map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const grounds = new WeakMap();
  const ground = element => {   // null where a picture lies behind it
    if (!element) return [255, 255, 255];
    if (!grounds.has(element)) {
      const style = getComputedStyle(element), under = ground(element.parentElement);
      grounds.set(element, style.backgroundImage !== "none" || !under ? null : over(numbers(style.backgroundColor), under));
    }
    return grounds.get(element);
  };
  // elements of the same names, classes and styles all the way up look alike: the first of them is looked at
  const likes = new Map([[null, ""]]);
  const like = element => {
    if (!likes.has(element)) {
      const row = element.tagName === "TR" ? element.rowIndex % 2 : "";
      likes.set(element, `${like(element.parentElement)} ${element.tagName}${row}.${element.className}.${element.id && "#"}`
        + `${element.hidden}${element.open}${element.getAttribute("style") || ""}`);
    }
    return likes.get(element);
  };
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), told = new Set(), met = new Set();
  while (words.nextNode()) {
    const element = words.currentNode.parentElement;
    if (!words.currentNode.data.trim() || met.has(like(element)) || !shown(element)) continue;
    met.add(like(element));
    if (element.closest("script, style, svg, math, noscript, template")) continue;
    const style = getComputedStyle(element), behind = ground(element);
    const key = `${style.color} ${behind} ${style.fontSize} ${style.fontWeight}`;
    if (!behind || told.has(key)) continue;
    told.add(key);
    const [a, b] = [light(over(numbers(style.color), behind)), light(behind)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    const ratio = (a + .05) / (b + .05);
    if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, element);
  }
  return faults;
}

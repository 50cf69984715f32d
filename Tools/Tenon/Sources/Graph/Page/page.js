"use strict";
// Shows what the static page contains as a drawing and by component. Text from the graph is only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
const components = data.components;
const byId = (id) => document.getElementById(id);
// Read from an element, so that the page contains no address.
const svgNamespace = document.querySelector("svg").namespaceURI;
const WHOLE = 40; // up to so many boxes, everything is drawn
const CROWDED = 60; // with more arrows, libraries are only listed
const BESIDE = 10; // so many neighbours are drawn on each side of a component

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}
function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const link = (index) => make("a", { href: "#c" + index }, components[index].name);
const time = (seconds) => (seconds * 1e3).toFixed(3) + " ms";
const libraryOf = (component) => (component.library === undefined ? "No library" : component.library);
const takesAll = (need) => need.kind === "all" || need.kind === "provider of all";

// MARK: Drawing

/// Draws boxes in columns: each stands left of what it needs. An arrow that closes a cycle leads back below all boxes.
function draw(boxes, arrows, label) {
  const next = boxes.map(() => []);
  arrows.forEach((arrow) => next[arrow.from].push(arrow.to));
  // Postorder without recursion, then columns in reverse postorder along the arrows that close no cycle.
  const state = boxes.map(() => 0), postorder = [];
  boxes.forEach((_, start) => {
    if (state[start]) return;
    const pending = [[start, 0]];
    state[start] = 1;
    while (pending.length) {
      const top = pending[pending.length - 1];
      if (top[1] < next[top[0]].length) {
        const target = next[top[0]][top[1]++];
        if (!state[target]) { state[target] = 1; pending.push([target, 0]); }
      } else { postorder.push(top[0]); pending.pop(); }
    }
  });
  const rank = [];
  postorder.forEach((box, position) => (rank[box] = position));
  const column = boxes.map(() => 0);
  for (const box of [...postorder].reverse())
    for (const target of next[box]) if (rank[target] < rank[box]) column[target] = Math.max(column[target], column[box] + 1);
  // An arrow across several columns passes through a narrow gap in each, so that it runs behind no box.
  const columnCount = Math.max(...column) + 1;
  const width = columnCount > 5 ? 140 : 164, height = 46, gap = columnCount > 5 ? 30 : 48, across = width + gap;
  const routes = arrows.map((arrow) => {
    const route = [arrow.from];
    for (let between = column[arrow.from] + 1; between < column[arrow.to]; between++) {
      column.push(between);
      route.push(column.length - 1);
    }
    return [...route, arrow.to];
  });
  const isBox = (item) => item < boxes.length;
  const columns = [], beside = column.map(() => []), middle = column.map(() => 0);
  column.forEach((place, item) => (columns[place] ??= []).push(item));
  for (const route of routes)
    for (let step = 1; step < route.length; step++) { beside[route[step]].push(route[step - 1]); beside[route[step - 1]].push(route[step]); }
  const size = (item) => (isBox(item) ? height + 16 : 14);
  const extent = (members) => members.reduce((sum, item) => sum + size(item), 0);
  const stack = (members) => {
    let top = -extent(members) / 2;
    for (const item of members) { middle[item] = top + size(item) / 2; top += size(item); }
  };
  columns.forEach(stack);
  for (let sweep = 0; sweep < 8; sweep++)
    for (const members of sweep % 2 ? [...columns].reverse() : columns) {
      const wish = new Map(members.map((item) => [item, beside[item].length ? beside[item].reduce((sum, other) => sum + middle[other], 0) / beside[item].length : middle[item]]));
      members.sort((a, b) => wish.get(a) - wish.get(b));
      stack(members);
    }
  const isBack = (arrow) => arrow.from !== arrow.to && column[arrow.to] <= column[arrow.from];
  const lane = 10, lanes = arrows.filter(isBack).length, margin = lanes ? 22 : 8;
  const bottom = Math.max(0, ...columns.map(extent)) + 8;
  const h = bottom + lanes * lane, w = columns.length * across - gap + 2 * margin;
  const x = (item) => margin + column[item] * across;
  const center = (item) => bottom / 2 + middle[item];
  const y = (item) => center(item) - height / 2;
  const svg = drawn("svg", { width: w, height: h, viewBox: `0 0 ${w} ${h}`, role: "group", "aria-label": label });
  svg.append(drawn("defs", {}, drawn("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, drawn("path", { d: "M0 0L8 4L0 8z" }))));
  let used = 0;
  arrows.forEach((arrow, index) => {
    const route = routes[index];
    let d;
    if (arrow.from === arrow.to) {
      const right = x(arrow.from) + width, y1 = center(arrow.from) + 8, y2 = y(arrow.from) + height;
      d = `M${right} ${y1}C${right + 22} ${y1} ${right - 20} ${y2 + 22} ${right - 20} ${y2}`;
    } else if (isBack(arrow)) {
      const below = bottom + lane * used++, bend = 10;
      const start = x(arrow.from) + width, end = x(arrow.to), y1 = center(arrow.from), y2 = center(arrow.to);
      d = `M${start} ${y1}q${bend} 0 ${bend} ${bend}V${below - bend}q0 ${bend} ${-bend} ${bend}`
        + `H${end - bend}q${-bend} 0 ${-bend} ${-bend}V${y2 + bend}q0 ${-bend} ${bend} ${-bend}H${end}`;
    } else {
      d = `M${x(arrow.from) + width} ${center(arrow.from)}`;
      for (let step = 1; step < route.length; step++) {
        const start = x(route[step - 1]) + width, end = x(route[step]);
        d += `C${start + gap / 2} ${center(route[step - 1])} ${end - gap / 2} ${center(route[step])} ${end} ${center(route[step])}`;
        if (step < route.length - 1) d += `H${end + width}`;
      }
    }
    svg.append(drawn("path", { d, class: arrow.loose ? "loose" : "", "marker-end": "url(#tip)", "aria-hidden": "true" }));
  });
  const fit = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  boxes.forEach((box, index) => {
    const text = drawn("text", { x: x(index) + 12, y: y(index) + (box.note ? 20 : 28) });
    text.textContent = fit(box.name, width > 150 ? 20 : 17);
    const title = drawn("title");
    title.textContent = box.note ? `${box.name}, ${box.note}` : box.name;
    const group = box.href ? drawn("a", { href: box.href, "aria-label": title.textContent }) : drawn("g", { role: "img", "aria-label": title.textContent });
    group.setAttribute("class", box.style ?? "");
    group.append(title, drawn("rect", { x: x(index), y: y(index), width, height, rx: 7 }), text);
    if (box.note) {
      const note = drawn("text", { x: x(index) + 12, y: y(index) + 36, class: "note" });
      note.textContent = fit(box.note, width > 150 ? 24 : 20);
      group.append(note);
    }
    svg.append(group);
  });
  return svg;
}

/// Draws components and what their needs refer to, as far as it is among them.
function drawComponents(indices, chosen, withAbsent) {
  const place = new Map(indices.map((index, position) => [index, position]));
  const boxes = indices.map((index) => ({
    name: components[index].name, note: components[index].library, href: "#c" + index, style: index === chosen ? "chosen" : "",
  }));
  const arrows = [], absent = new Map();
  indices.forEach((index) => {
    const seen = new Set();
    for (const need of components[index].needs) {
      for (const target of need.providers)
        if (place.has(target) && !seen.has(target)) {
          seen.add(target);
          arrows.push({ from: place.get(index), to: place.get(target), loose: need.kind !== "required" });
        }
      if (need.isPresent || takesAll(need) || !withAbsent(index)) continue;
      if (!absent.has(need.name)) {
        absent.set(need.name, boxes.length);
        boxes.push({ name: need.name, note: need.isMissing ? "missing" : "absent", style: need.isMissing ? "absent missing" : "absent" });
      }
      arrows.push({ from: place.get(index), to: absent.get(need.name), loose: need.kind !== "required" });
    }
  });
  return draw(boxes, arrows, `Drawing of ${boxes.length} boxes and ${arrows.length} arrows. An arrow leads from a component to what it needs.`);
}

function drawLibraries() {
  const names = [...new Set(components.map(libraryOf))];
  if (names.length > WHOLE) return null;
  const place = new Map(names.map((name, position) => [name, position]));
  const sizes = names.map(() => 0), pairs = new Map();
  components.forEach((component) => {
    const from = place.get(libraryOf(component));
    sizes[from]++;
    for (const need of component.needs)
      for (const target of need.providers) {
        const to = place.get(libraryOf(components[target]));
        if (from !== to) pairs.set(from + " " + to, { from, to });
      }
  });
  if (pairs.size > CROWDED) return null;
  const boxes = names.map((name, position) => ({ name, note: sizes[position] === 1 ? "1 component" : sizes[position] + " components", href: "#l" + position }));
  return draw(boxes, [...pairs.values()], `Drawing of ${names.length} libraries and what they need of each other.`);
}

/// Draws a component between those that need it and what it needs. Returns the drawing and how many it leaves out.
function drawSurroundings(index) {
  const needed = [...new Set(components[index].needs.flatMap((need) => need.providers))].filter((other) => other !== index);
  const dependents = components[index].dependents.filter((other) => other !== index);
  const left = dependents.slice(0, BESIDE), right = needed.slice(0, BESIDE);
  return {
    svg: drawComponents([...new Set([index, ...left, ...right])], index, (other) => other === index),
    hidden: dependents.length - left.length + needed.length - right.length,
  };
}

function showDrawing(chosen) {
  let svg, text;
  if (components.length <= WHOLE) {
    svg = drawComponents(components.map((_, index) => index), chosen, () => true);
    text = "An arrow leads from a component to what it needs; it is dotted where the need isn't required. A dashed box is absent.";
  } else if (chosen !== null) {
    const surroundings = drawSurroundings(chosen);
    svg = surroundings.svg;
    text = "The selected component between those that need it and what it needs." + (surroundings.hidden ? ` ${surroundings.hidden} more are listed below.` : "");
  } else if ((svg = drawLibraries())) {
    text = "What the libraries need of each other. Select a library to filter the list, or a component to see what surrounds it.";
  } else {
    const most = components.reduce((best, component, index) => (component.dependents.length > components[best].dependents.length ? index : best), 0);
    const surroundings = drawSurroundings(most);
    svg = surroundings.svg;
    text = `${components[most].name} is needed by ${components[most].dependents.length} components; no other is needed by more.` + (surroundings.hidden ? ` ${surroundings.hidden} of its neighbours aren't drawn.` : "") + " Select a component in the list to see what surrounds it.";
  }
  byId("drawing-text").textContent = text;
  byId("drawing-area").replaceChildren(svg);
  // The selected component, or the beginning, is what a narrow screen shows.
  const box = svg.querySelector(".chosen rect");
  if (box) byId("drawing-area").scrollTo(box.getAttribute("x") - byId("drawing-area").clientWidth / 2 + 82, box.getAttribute("y") - byId("drawing-area").clientHeight / 2 + 23);
}

// MARK: Details

function list(title, items, none) {
  return make("div", {}, make("h3", {}, `${title} (${items.length})`), items.length ? make("ul", { className: "plain" }, ...items) : make("p", { className: "quiet" }, none));
}

function showDetails(chosen) {
  byId("details").hidden = chosen === null;
  byId("all").hidden = chosen === null;
  if (chosen === null) return;
  const component = components[chosen];
  byId("details-title").textContent = component.name;
  const facts = make("dl", { className: "facts" });
  const fact = (name, value) => value && facts.append(make("dt", {}, name), make("dd", {}, value));
  fact("Library", component.library);
  fact("Scope", `${component.scope}, ${component.timing}` + (component.isInherited ? ", of the parent" : ""));
  fact("Provides", component.provides.filter((name) => name !== component.name).join(", "));
  fact("Contributes to", component.contributes.join(", "));
  fact("Takes", component.arguments.join(", "));
  fact("Created", component.order !== undefined ? `as number ${component.order}` : data.hasTimes ? "not yet" : "");
  if (component.seconds !== undefined) fact("Took", `${time(component.seconds)}, with what it created` + (component.after !== undefined ? `; began after ${time(component.after)}` : ""));
  fact("Depth", String(component.depth));
  const needs = component.needs.map((need) => {
    const item = make("li", {}, `${need.name} `, make("span", { className: "quiet" }, need.kind), ": ");
    need.providers.forEach((target, position) => item.append(position ? ", " : "", link(target)));
    if (!need.providers.length) {
      item.append(make("span", { className: need.isMissing ? "bad" : "quiet" }, need.isPresent ? "met outside of this graph" : need.isMissing ? "missing" : "absent"));
    }
    if (need.unregistered) item.append(make("span", { className: "bad" }, ` (${need.unregistered} is linked, but not registered)`));
    return item;
  });
  const why = make("div", {}, make("h3", {}, "Why it is here"));
  const chain = [chosen];
  while (components[chain[0]].reason !== undefined) chain.unshift(components[chain[0]].reason);
  const origin = components[chain[0]];
  if (!origin.isOrigin) why.append(make("p", {}, "It is only needed within a cycle."));
  else {
    const reason = origin.timing.startsWith("eager") ? "is eager" : "isn't needed by any component, so the program asks for it itself, or nothing does";
    if (chain.length === 1) why.append(make("p", {}, `It ${reason}.`));
    else why.append(make("p", {}, `${origin.name} ${reason}. The shortest chain from there:`), make("ol", { className: "chain" }, ...chain.map((index) => make("li", {}, link(index)))));
  }
  byId("details-body").replaceChildren(
    facts, make("div", { className: "halves" }, list("Needs", needs, "Nothing."),
      list("Needed by", component.dependents.map((index) => make("li", {}, link(index))), "No component."), why));
}

// MARK: Selecting and searching

const links = [...document.querySelectorAll(".list a")];
let selected = null;

function select(moves) {
  const match = /^#c(\d+)$/.exec(location.hash);
  selected = match && Number(match[1]) < components.length ? Number(match[1]) : null;
  const library = /^#l(\d+)$/.exec(location.hash);
  if (library) { byId("library").selectedIndex = Math.min(Number(library[1]) + 1, byId("library").length - 1); filter(); }
  for (const entry of links) entry.removeAttribute("aria-current");
  const current = links.find((entry) => entry.hash === "#c" + selected);
  current?.setAttribute("aria-current", "true");
  if (current && !current.hidden && current !== document.activeElement) {
    const area = document.querySelector(".list"), box = current.getBoundingClientRect(), frame = area.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) area.scrollTop += box.top - frame.top - frame.height / 2;
  }
  showDetails(selected);
  showDrawing(selected);
  document.title = (selected === null ? "" : components[selected].name + " – ") + data.title + " – component graph";
  if (moves && selected !== null) {
    byId("details-title").focus({ preventScroll: true });
    byId("details").scrollIntoView({ block: "nearest" });
    if (byId("details").getBoundingClientRect().top > innerHeight - 120) byId("details").scrollIntoView();
  }
}

function filter() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const library = byId("library").selectedIndex > 0 ? byId("library").value : null;
  const onlyAbsent = byId("absent").checked;
  let count = 0;
  for (const entry of links) {
    const component = components[Number(entry.hash.slice(2))];
    const text = [component.name, libraryOf(component), ...component.provides, ...component.contributes].join(" ").toLowerCase();
    const shown = words.every((word) => text.includes(word)) && (library === null || libraryOf(component) === library)
      && (!onlyAbsent || component.needs.some((need) => !need.isPresent));
    entry.parentElement.hidden = !shown;
    if (shown) count++;
  }
  for (const section of document.querySelectorAll(".list section")) section.hidden = !section.querySelector("li:not([hidden])");
  byId("count").textContent = count === components.length ? `${count} components` : `${count} of ${components.length} components`;
}

for (const name of new Set(components.map(libraryOf))) byId("library").append(make("option", { value: name }, name));
for (const id of ["search", "library", "absent"]) byId(id).addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "/" && !typing) { byId("search").focus(); byId("search").select(); event.preventDefault(); return; }
  if (event.key === "Escape" && event.target === byId("search")) { byId("search").value = ""; filter(); return; }
  const inList = event.target.closest(".list a"), fromSearch = event.target === byId("search");
  if (!inList && !fromSearch) return;
  const shown = links.filter((entry) => !entry.parentElement.hidden);
  const place = shown.indexOf(inList);
  const target = { ArrowDown: place + 1, ArrowUp: place - 1, Home: inList ? 0 : NaN, End: inList ? shown.length - 1 : NaN }[event.key];
  if (target === undefined || Number.isNaN(target)) return;
  event.preventDefault();
  if (target < 0) byId("search").focus();
  else shown[Math.min(target, shown.length - 1)]?.focus();
});
byId("all").addEventListener("click", () => { history.pushState(null, "", "#"); select(false); byId("search").focus(); });
addEventListener("hashchange", () => select(true));
document.querySelectorAll(".script").forEach((element) => (element.hidden = false));
filter();
select(false);
document.documentElement.dataset.ready = "true";

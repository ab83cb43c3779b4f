// Builds the page: elements by function, never from text, so that no producer's text can become markup.

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const grouped = new Intl.NumberFormat("en");

export function number(value) { return value === null || value === undefined ? "–" : grouped.format(value); }

export function counted(value, one, many) { return `${number(value)} ${value === 1 ? one : many}`; }

// As the commands do: 0.0 % is none, and 100.0 % is all.
export function percent(part, whole) {
  if (!(whole > 0)) return "–";
  const tenths = Math.round(1000 * part / whole);
  if (part > 0 && tenths === 0) return "<0.1\u00a0%";
  return `${((part < whole ? Math.min(tenths, 999) : tenths) / 10).toFixed(1)}\u00a0%`;
}

// A table that becomes a stack of cards on narrow screens: each cell shows its column's name.
export function table(columns, rows) {
  const head = element("tr", {}, columns.map(([name, side]) => element("th", { scope: "col", class: side }, name)));
  const body = rows.map((cells) => element("tr", {}, cells.map((cell, index) =>
    element("td", { class: columns[index][1], "data-name": columns[index][0] }, cell))));
  return element("table", { class: "stacked" }, element("thead", {}, head), element("tbody", {}, body));
}

export function field(label, attributes = {}) { return element("input", { "aria-label": label, placeholder: label, ...attributes }); }

export function choice(label, options) {
  return element("select", { "aria-label": label }, options.map(([value, text]) => element("option", { value }, text)));
}

// A line of fields with a button, which calls `send`.
export function form(id, fields, button, send) {
  const node = element("form", { class: "filter", id }, fields, element("button", {}, button));
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    send().catch((error) => notice(error.message));
  });
  return node;
}

// A part of the page that is rebuilt only when its value changes: clicked or focused elements of an unchanged part stay
// the same elements.
export function part(name = "div", attributes = {}) {
  const node = element(name, attributes);
  let shown = null;
  return {
    node,
    show(value, make) {
      const text = JSON.stringify(value);
      if (text === shown) return;
      shown = text;
      node.replaceChildren(...[make()].flat().filter(Boolean));
    },
  };
}

export function notice(text) {
  const place = document.getElementById("notice");
  place.textContent = text;
  if (text) setTimeout(() => { if (place.textContent === text) place.textContent = ""; }, 8000);
}

// Asks for confirmation of an action; resolves to true if it was given.
export function confirmed(title, text, yes) {
  const dialog = document.getElementById("confirm");
  document.getElementById("confirm-title").textContent = title;
  document.getElementById("confirm-text").textContent = text;
  document.getElementById("confirm-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

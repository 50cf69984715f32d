// Creates elements. Text is always set as text: no script of this page parses markup.

/**
 * Creates an element. Functions become listeners, `true` an empty attribute, and `null`, `undefined` and `false`
 * no attribute.
 */
export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value == null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (key === 'value') element.value = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child == null || child === false) continue;
    element.append(child);
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** Tells users of screen readers what has happened. */
export function say(text) {
  document.getElementById('spoken').textContent = text;
}

/** Shows an error until the next action; `null` removes it. */
export function showProblem(error) {
  const place = document.getElementById('problem');
  place.hidden = error == null;
  place.textContent = error == null ? '' : error.message;
}

/** Returns a listener that shows the error of an action, and nothing else twice at a time. */
export function action(body) {
  let isRunning = false;
  return async event => {
    event?.preventDefault();
    if (isRunning) return;
    isRunning = true;
    showProblem(null);
    try { await body(event); } catch (error) { showProblem(error); } finally { isRunning = false; }
  };
}

let lastID = 0;

/** Creates an input with its label. */
export function field(label, input, hint) {
  input.id ||= `input-${++lastID}`;
  let note = null;
  if (hint) {
    note = h('span', { class: 'hint', id: `${input.id}-hint` }, hint);
    input.setAttribute('aria-describedby', note.id);
  }
  return h('div', { class: 'labelled' }, h('label', { for: input.id }, label), input, note);
}

export function check(label, input) {
  input.id ||= `input-${++lastID}`;
  return h('div', { class: 'check' }, input, h('label', { for: input.id }, label));
}

export function select(options, value, attributes) {
  const element = h('select', attributes, options.map(option => {
    const [name, text] = Array.isArray(option) ? option : [option, option];
    return h('option', { value: name }, text);
  }));
  if (value != null) element.value = value;
  return element;
}

/**
 * Opens a dialog with a form.
 *
 * The action of the form may throw; the dialog stays open then and shows the error.
 */
export function openDialog({ title, content, button, isDangerous, submit }) {
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  const confirm = h('button', { type: 'submit', class: isDangerous ? 'danger' : 'primary' }, button);
  const opener = document.activeElement;
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' },
    h('form', { method: 'dialog', submit: async event => {
      event.preventDefault();
      confirm.disabled = true;
      problem.hidden = true;
      try {
        await submit();
        dialog.close();
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
      } finally { confirm.disabled = false; }
    } },
    h('h2', { id: 'dialog-title' }, title), content, problem,
    h('div', { class: 'buttons' },
      h('button', { type: 'button', click: () => dialog.close() }, 'Cancel'), confirm)));
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (opener?.isConnected) opener.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Runs the last of several calls after a pause. */
export function debounce(pause, body) {
  let timer = null;
  return (...parameters) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...parameters), pause);
  };
}

/** Calls a function repeatedly while the page is visible and the signal isn't aborted. */
export function repeat(pause, signal, body) {
  const step = async () => {
    if (signal.aborted) return;
    if (!document.hidden) await body();
    if (!signal.aborted) setTimeout(step, pause);
  };
  setTimeout(step, pause);
}

/** Calls a function that loads a view again every two seconds, and shows why it can't be loaded. */
export function keepCurrent(signal, load) {
  let hasFailed = false;
  repeat(2000, signal, async () => {
    try {
      await load();
      if (hasFailed && !signal.aborted) showProblem(null);
      hasFailed = false;
    } catch (error) {
      if (signal.aborted) return;
      hasFailed = true;
      showProblem(error);
    }
  });
}

/** Replaces the content of an element, and keeps the focus on the link with the same address. */
export function replaceKeepingFocus(place, ...content) {
  const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  replace(place, ...content);
  if (focused) place.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

export function time(text) {
  if (!text) return '';
  const date = new Date(text);
  return isNaN(date) ? text : h('time', { datetime: text, title: text }, date.toLocaleString());
}

export function size(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let [value, unit] = [Number(bytes), 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

// A document: its fields with their types, each of which can be edited, and all of it as JSON.

import {
  backend, documentURL, fieldName, idOf, listCollections, nameOf, watch,
} from './backend.js';
import { addressOf, breadcrumb, formsHint, openAdd, openDelete } from './documents.js';
import { action, debounce, field, h, openDialog, replace, say, select, showProblem, size, time } from './elements.js';
import {
  entriesOf, fieldsOf, formatted, parse, parseJSON, plainFields, summaryOf, textOf, typeOf, types,
} from './values.js';

/** How many characters of a text, and how many members of a map or an array, are shown at first. */
const longestText = 1000;
const longestPiece = 20000;
const mostMembers = 100;
/** The size of a document, in characters, from which on its JSON is shown on request only. */
const largeText = 200000;

export class DocumentView {
  constructor(path, parent, signal) {
    this.path = path;
    this.parent = parent;
    this.signal = signal;
    this.document = null;
    this.editing = null;
    this.open = new Set();
    this.facts = h('p', { class: 'quiet' }, 'Loading');
    this.below = h('p', { class: 'below' });
    this.fields = h('div', { role: 'tabpanel', id: 'panel-fields', 'aria-labelledby': 'tab-fields' });
    this.json = h('div', { role: 'tabpanel', id: 'panel-json', 'aria-labelledby': 'tab-json', hidden: true });
    this.tabs = this.makeTabs();
    this.remove = h('button', { type: 'button', class: 'danger-quiet', click: () => openDelete(path, parent) }, 'Delete document');
    replace(parent.main, breadcrumb(path), h('div', { class: 'title' }, h('h1', {}, idOf(path)),
      h('div', { class: 'buttons' },
        h('button', { type: 'button', click: () => openAdd('', parent, path) }, 'Add collection'), this.remove)),
    this.facts, this.below, this.tabs, this.fields, this.json);
    action(() => this.load())();
    this.showBelow();
    watch([{ documents: { documents: [nameOf(path)] } }], signal, debounce(60, () => this.reload()));
  }

  makeTabs() {
    const tabs = ['fields', 'json'].map(name => h('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`,
      'aria-selected': String(name === 'fields'), tabindex: name === 'fields' ? '0' : '-1', click: () => this.showTab(name),
    }, name === 'fields' ? 'Fields' : 'JSON'));
    return h('div', { role: 'tablist', 'aria-label': 'Form', class: 'tabs', keydown: event => {
      if (!['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
      const other = tabs.find(tab => tab !== document.activeElement);
      other.focus();
      other.click();
    } }, tabs);
  }

  showTab(name) {
    for (const tab of this.tabs.children) {
      const isShown = tab.id === `tab-${name}`;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    }
    this.fields.hidden = name !== 'fields';
    this.json.hidden = name !== 'json';
    if (name === 'json') this.showJSON();
  }

  // Loading

  async load() {
    try {
      this.document = await backend(documentURL(this.path), { signal: this.signal });
    } catch (error) {
      if (this.signal.aborted) return;
      if (error.status !== 404) throw error;
      this.document = null;
    }
    this.showFacts();
    this.showFields();
  }

  /** Loads the document after a change elsewhere. A form that is open remains. */
  async reload() {
    if (this.signal.aborted) return;
    const old = this.document;
    try {
      this.document = await backend(documentURL(this.path), { signal: this.signal });
    } catch (error) {
      if (this.signal.aborted) return;
      if (error.status !== 404) return showProblem(error);
      this.document = null;
    }
    if (old?.updateTime === this.document?.updateTime) return;
    this.showFacts();
    say(this.document ? `${idOf(this.path)} has changed.` : `${idOf(this.path)} was deleted.`);
    if (this.editing) return this.editing.noteChange();
    this.showFields(old);
    if (!this.json.hidden) this.showJSON();
    await this.parent.changed(this.path).catch(() => {});
  }

  showFacts() {
    const { document: shown } = this;
    replace(this.facts, shown
      ? ['Created ', time(shown.createTime), ', changed ', time(shown.updateTime)]
      : 'There is no document with this ID.');
    this.remove.hidden = !shown;
    this.tabs.hidden = !shown;
  }

  async showBelow() {
    try {
      const ids = await listCollections(this.path, this.signal);
      if (!ids.length) return;
      replace(this.below, h('span', { class: 'quiet' }, 'Collections: '),
        ids.map((id, index) => [index ? ', ' : null, h('a', { href: addressOf(`${this.path}/${id}`) }, id)]));
    } catch (error) { if (!this.signal.aborted) showProblem(error); }
  }

  // Fields

  showFields(old) {
    this.editing = null;
    if (!this.document) {
      replace(this.fields);
      return replace(this.json);
    }
    const value = { mapValue: { fields: this.document.fields ?? {} } };
    const before = old ? { mapValue: { fields: old.fields ?? {} } } : null;
    const focused = document.activeElement?.dataset?.key;
    replace(this.fields, this.members(value, [], before),
      Object.keys(this.document.fields ?? {}).length ? null : h('p', { class: 'quiet' }, 'The document has no fields.'));
    if (focused) [...this.fields.querySelectorAll('[data-key]')].find(each => each.dataset.key === focused)?.focus();
  }

  /** The list of a map's or an array's members. `before` is the value before a change, to mark what differs. */
  members(value, path, before, isWhole = false) {
    const entries = entriesOf(value);
    const isMap = typeOf(value) === 'map';
    const known = before && typeOf(before) === typeOf(value) ? new Map(entriesOf(before)) : null;
    const shown = isWhole ? entries : entries.slice(0, mostMembers);
    const list = h('ul', { class: 'members' }, shown.map(([name, member]) =>
      this.member([...path, name], member, known?.get(name), known !== null)));
    if (shown.length < entries.length) {
      list.append(h('li', {}, h('button', { type: 'button', class: 'quiet-button', click: () => {
        list.replaceWith(this.members(value, path, null, true));
      } }, `Show all ${entries.length}`)));
    }
    const add = h('button', { type: 'button', class: 'quiet-button', 'data-key': `add:${JSON.stringify(path)}`, click: () => {
      new Editor(this, path, null, isMap ? 'map' : 'array').openIn(item);
    } }, isMap ? 'Add field' : 'Add element');
    const item = h('li', { class: 'add' }, add);
    list.append(item);
    return list;
  }

  member(path, value, before, isCompared) {
    const name = path[path.length - 1];
    const type = typeOf(value);
    const key = JSON.stringify(path);
    const isChanged = isCompared && JSON.stringify(before) !== JSON.stringify(value);
    const item = h('li', { class: isChanged ? 'changed' : null });
    const buttons = h('span', { class: 'row-buttons' },
      type === 'map' || type === 'array' ? null : h('button', { type: 'button', 'data-key': `edit:${key}`, 'aria-label': `Edit ${name}`, click: () => {
        new Editor(this, path, value).openIn(item);
      } }, 'Edit'),
      h('button', { type: 'button', 'data-key': `delete:${key}`, 'aria-label': `Delete ${name}`, click: () => this.openDelete(path) }, 'Delete'));
    const label = [h('span', { class: 'field-name' }, String(name)), ' ', h('span', { class: 'type' }, type)];
    if (type !== 'map' && type !== 'array') {
      replace(item, h('div', { class: 'field-row' }, h('span', { class: 'head' }, label), this.text(value), buttons));
      return item;
    }
    const details = h('details', { open: this.open.has(key) || (path.length === 1 && entriesOf(value).length <= 12), toggle: () => {
      if (details.open) this.open.add(key); else this.open.delete(key);
      if (details.open && !details.querySelector('ul')) details.append(this.members(value, path, before));
    } }, h('summary', { 'data-key': `open:${key}` }, label, ' ', h('span', { class: 'summary' }, summaryOf(value))));
    if (details.open) details.append(this.members(value, path, before));
    replace(item, h('div', { class: 'field-row nested' }, details, buttons));
    return item;
  }

  openDelete(path) {
    openDialog({
      title: 'Delete field', button: 'Delete', isDangerous: true,
      content: h('p', {}, `${path.join('.')} is deleted. This can’t be undone.`),
      submit: () => this.save(path, null),
    });
  }

  text(value) {
    const type = typeOf(value);
    const text = textOf(value);
    if (type === 'reference') return h('a', { class: `value ${type}`, href: addressOf(text) }, text);
    if (text.length <= longestText) return h('span', { class: `value ${type}` }, text === '' ? h('span', { class: 'quiet' }, 'empty') : text);
    const part = h('span', { class: `value ${type}` }, `${text.slice(0, longestText)}…`);
    let end = longestText;
    const more = h('button', { type: 'button', class: 'quiet-button', click: () => {
      part.textContent = text.slice(0, end);
      part.append(h('span', {}, text.slice(end, end += longestPiece)), end < text.length ? '…' : '');
      if (end >= text.length) more.remove();
    } }, `Show more of ${text.length.toLocaleString()} characters`);
    return h('span', { class: 'long' }, part, ' ', more);
  }

  /**
   * Replaces or removes one value. The rest of the document isn't sent, except for the array that contains the
   * value.
   *
   * @param value the new value; `null` to remove it.
   */
  async save(path, value) {
    const fields = structuredClone(this.document?.fields ?? {});
    let holder = { mapValue: { fields } };
    const mask = [];
    let isInArray = false;
    path.forEach((name, index) => {
      const isArray = typeOf(holder) === 'array';
      if (isArray) isInArray = true;
      if (!isInArray) mask.push(fieldName(name));
      const members = isArray ? (holder.arrayValue.values ??= []) : (holder.mapValue.fields ??= {});
      if (index < path.length - 1) {
        holder = members[name];
        if (!holder) throw new Error('The value isn’t there any more.');
      } else if (value !== null) members[name] = value;
      else if (isArray) members.splice(name, 1);
      else delete members[name];
    });
    const query = new URLSearchParams();
    query.append('updateMask.fieldPaths', mask.join('.'));
    await this.write(query, path.length ? { [path[0]]: fields[path[0]] } : fields);
    say(value === null ? `${path[path.length - 1]} was deleted.` : `${path[path.length - 1]} was saved.`);
  }

  /** Writes the document unless it has changed since it was shown. */
  async write(query, fields) {
    const old = this.document;
    if (old) query.set('currentDocument.updateTime', old.updateTime);
    try {
      this.document = await backend(`${documentURL(this.path)}?${query}`, { method: 'PATCH', body: { fields } });
    } catch (error) {
      if (error.status !== 400 && error.status !== 409) throw error;
      const present = await backend(documentURL(this.path)).catch(() => null);
      if (present?.updateTime === old?.updateTime) throw error;
      this.document = present;
      this.showFacts();
      throw new Error('The document has changed in between, and nothing was saved. Look at it and save again.');
    }
    this.showFacts();
    this.showFields(old);
  }

  // JSON

  showJSON() {
    if (!this.document) return;
    const json = formatted(plainFields(this.document.fields));
    if (json.length <= largeText) return this.showEditor(json);
    replace(this.json, h('p', {}, `The document has ${size(json.length)} of JSON. `,
      h('button', { type: 'button', click: () => this.showEditor(json) }, 'Show it')));
  }

  showEditor(json) {
    const text = h('textarea', { class: 'code', rows: Math.min(Math.max(json.split('\n').length + 1, 6), 32), spellcheck: 'false', value: json, wrap: 'off' });
    const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
    const editor = { noteChange: () => {
      problem.textContent = 'The document has changed in between. Saving replaces it.';
      problem.hidden = false;
    } };
    text.addEventListener('input', () => { this.editing = editor; });
    replace(this.json, h('form', { submit: async event => {
      event.preventDefault();
      try {
        await this.write(new URLSearchParams(), fieldsOf(parseJSON(text.value)));
        say('The document was saved.');
        this.showJSON();
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
      }
    } }, field('Fields as JSON', text, formsHint), problem,
    h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Save'),
      h('button', { type: 'button', click: () => { this.showFields(); this.showJSON(); } }, 'Reset'))));
  }
}

/** The form of one value. */
class Editor {
  /** @param holder for a new value, the type of what it is added to: `map` or `array`. */
  constructor(view, path, value, holder) {
    this.view = view;
    this.path = path;
    this.value = value;
    this.holder = holder;
    const type = value ? typeOf(value) : 'string';
    this.name = h('input', { type: 'text', required: true, autocapitalize: 'off', spellcheck: 'false' });
    this.type = select(Object.keys(types), type, { change: () => this.showInput('') });
    this.place = h('div', { class: 'input' });
    this.note = h('p', { class: 'problem', role: 'alert', hidden: true });
    this.showInput(value ? textOf(value) : '');
    this.element = h('form', { class: 'editor', submit: event => this.submit(event), keydown: event => {
      if (event.key === 'Escape') this.close();
    } },
    holder ? null : h('p', { class: 'field-name' }, String(path[path.length - 1])),
    h('div', { class: 'line' }, holder === 'map' ? field('Name', this.name) : null, field('Type', this.type), this.place),
    this.note,
    h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Save'),
      h('button', { type: 'button', click: () => this.close() }, 'Cancel')));
  }

  showInput(text) {
    const type = this.type.value;
    if (['map', 'array', 'null'].includes(type)) {
      this.input = null;
      return replace(this.place);
    }
    if (type === 'boolean') this.input = select(['true', 'false'], text === 'false' ? 'false' : 'true');
    else if (type === 'string') this.input = h('textarea', { wrap: text.length > largeText ? 'off' : null, rows: Math.min(12, Math.max(1, text.split('\n').length, Math.ceil(text.length / 70))), value: text });
    else this.input = h('input', { type: 'text', autocapitalize: 'off', spellcheck: 'false', value: text });
    replace(this.place, field('Value', this.input));
    // As in a field of one line, Enter saves.
    this.input.addEventListener('keydown', event => {
      if (event.key === 'Enter' && !event.shiftKey && type === 'string' && !text.includes('\n')) {
        event.preventDefault();
        this.element.requestSubmit();
      }
    });
  }

  openIn(item) {
    this.view.editing?.close?.();
    const place = [...this.view.fields.querySelectorAll('li')].includes(item) ? item : null;
    if (!place) return;
    this.view.editing = this;
    if (this.holder) item.before(h('li', {}, this.element)); else replace(item, this.element);
    (this.holder === 'map' ? this.name : this.input ?? this.type).focus();
  }

  close() {
    const key = this.holder ? `add:${JSON.stringify(this.path)}` : `edit:${JSON.stringify(this.path)}`;
    this.view.showFields();
    [...this.view.fields.querySelectorAll('[data-key]')].find(each => each.dataset.key === key)?.focus();
  }

  /** Says that the document has changed while the form is open. */
  noteChange() {
    let value = { mapValue: { fields: this.view.document?.fields ?? {} } };
    for (const name of this.path) {
      value = value && (typeOf(value) === 'array' ? value.arrayValue.values?.[name] : value.mapValue?.fields?.[name]);
    }
    if (this.holder || JSON.stringify(value) === JSON.stringify(this.value)) return;
    this.note.textContent = value ? `The value has become ${summaryOf(value)}. Saving replaces it.` : 'The value was deleted. Saving adds it again.';
    this.note.hidden = false;
  }

  async submit(event) {
    event.preventDefault();
    try {
      const value = parse(this.type.value, this.input?.value ?? '');
      let path = this.path;
      if (this.holder === 'map') {
        if (this.name.value === '') throw new Error('A field needs a name.');
        path = [...path, this.name.value];
      }
      if (this.holder === 'array') path = [...path, this.length()];
      await this.view.save(path, value);
      if (!this.holder) this.focusAfter(`edit:${JSON.stringify(path)}`);
      else this.focusAfter(`add:${JSON.stringify(this.path)}`);
    } catch (error) {
      this.note.textContent = error.message;
      this.note.hidden = false;
    }
  }

  length() {
    let value = { mapValue: { fields: this.view.document?.fields ?? {} } };
    for (const name of this.path) value = typeOf(value) === 'array' ? value.arrayValue.values[name] : value.mapValue.fields[name];
    return value.arrayValue.values?.length ?? 0;
  }

  focusAfter(key) {
    [...this.view.fields.querySelectorAll('[data-key]')].find(each => each.dataset.key === key)?.focus();
  }
}

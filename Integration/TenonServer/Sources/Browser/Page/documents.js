// The view of documents: the tree, and beside it a collection or a document.

import {
  count, deleteAll, documentURL, encoded, idOf, isCollection, listDocuments, nameOf, parentOf,
  pathOf, backend, runQuery, server, watch,
} from './backend.js';
import { DocumentView } from './document.js';
import { action, check, debounce, field, h, openDialog, replace, say, showProblem } from './elements.js';
import { Filter } from './filter.js';
import { openImport } from './importer.js';
import { Tree } from './tree.js';
import { contentOf, fieldsOf, parseJSON, summaryOf, typeOf } from './values.js';

const pageSize = 50;
const countLimit = 10000;

export const addressOf = path => `#/documents${path ? `/${encoded(path)}` : ''}`;

/** The path with a link to each part. */
export function breadcrumb(path) {
  const parts = path ? path.split('/') : [];
  return h('nav', { 'aria-label': 'Path', class: 'path' },
    h('a', { href: '#/documents' }, 'Documents'),
    parts.map((part, index) => {
      const whole = parts.slice(0, index + 1).join('/');
      const isLast = index === parts.length - 1;
      return [h('span', { 'aria-hidden': 'true' }, '/'),
        h('a', { href: addressOf(whole), 'aria-current': isLast ? 'page' : null }, part)];
    }));
}

export class DocumentsView {
  constructor(container) {
    this.tree = new Tree(address => { location.hash = address; });
    this.main = h('div', { class: 'detail' });
    this.aside = h('aside', { 'aria-label': 'Tree' },
      h('div', { class: 'aside-head' }, this.databaseChoice(),
        h('button', { type: 'button', click: () => openAdd('', this) }, 'New collection'),
        h('button', { type: 'button', click: () => openImport(this) }, 'Import')),
      this.tree.element);
    this.element = h('div', { class: 'columns' }, this.aside, this.main);
    replace(container, this.element);
    this.isLoaded = this.tree.load();
  }

  databaseChoice() {
    if (server.databases.length < 2) return null;
    const choice = h('select', { 'aria-label': 'Database', change: () => {
      server.database = choice.value;
      location.hash = '#/documents';
      dispatchEvent(new Event('databasechange'));
    } }, server.databases.map(name => h('option', { value: name }, name)));
    choice.value = server.database;
    return choice;
  }

  async show(parts, signal) {
    const path = parts.join('/');
    this.element.classList.toggle('chosen', path !== '');
    showProblem(null);
    if (path === '') this.showNothing();
    else if (isCollection(path)) new CollectionView(path, this, signal);
    else new DocumentView(path, this, signal);
    await this.isLoaded;
    if (signal.aborted) return;
    if (path === '') watchCollections(this, signal);
    await this.tree.reveal(path);
  }

  showNothing() {
    replace(this.main, h('div', { class: 'empty-state' },
      h('h1', {}, 'Documents'),
      h('p', {}, 'Choose a collection or a document in the tree. What apps change appears here without a reload.'),
      h('p', { class: 'quiet' }, server.directory ? `The data is in ${server.directory}.` : 'The data is in memory, and is lost when the server ends.')));
  }

  /** Shows a change of this page in the tree. */
  async changed(path) {
    await this.tree.refresh(parentOf(path));
    if (isCollection(path)) return;
    await this.tree.refresh(parentOf(parentOf(path)));
  }
}

/** Looks for new collections from time to time, because there is no listener for them. */
function watchCollections(view, signal) {
  const timer = setInterval(() => { if (!document.hidden) view.tree.refresh('').catch(() => {}); }, 3000);
  signal.addEventListener('abort', () => clearInterval(timer));
}

class CollectionView {
  constructor(path, parent, signal) {
    this.path = path;
    this.parent = parent;
    this.signal = signal;
    this.query = null;
    this.pages = 1;
    this.versions = new Map();
    this.status = h('p', { class: 'quiet', role: 'status' }, 'Loading');
    this.table = h('div', { class: 'results' });
    this.filter = new Filter(idOf(path), query => this.setQuery(query));
    replace(parent.main, breadcrumb(path), h('div', { class: 'title' }, h('h1', {}, idOf(path)),
      h('div', { class: 'buttons' },
        h('button', { type: 'button', class: 'primary', click: () => openAdd(path, parent) }, 'Add document'),
        h('button', { type: 'button', class: 'danger-quiet', click: () => this.openDelete() }, 'Delete collection'))),
    this.filter.element, this.status, this.table);
    this.setQuery(null);
  }

  setQuery(query) {
    this.query = query;
    this.pages = 1;
    this.versions.clear();
    this.listening?.abort();
    this.listening = new AbortController();
    this.signal.addEventListener('abort', () => this.listening.abort());
    action(() => this.load())();
    const reload = debounce(120, async changed => {
      if (this.signal.aborted) return;
      // A change during the loading isn't lost.
      this.isStale = true;
      if (this.isLoading) return;
      this.isLoading = true;
      try {
        while (this.isStale && !this.signal.aborted) {
          this.isStale = false;
          await this.load();
        }
      } catch (error) { showProblem(error); } finally { this.isLoading = false; }
      await this.parent.tree.refresh(this.path).catch(() => {});
      say(Array.isArray(changed) && changed.length === 1 ? `${idOf(changed[0])} has changed.` : 'Documents have changed.');
    });
    // The query needn't be watched beyond what is shown.
    const target = { query: { parent: nameOf(parentOf(this.path)), structuredQuery: {
      ...this.structuredQuery(), limit: Math.min(pageSize * 6, 300) } } };
    watch([target], this.listening.signal, reload);
  }

  structuredQuery() {
    const { where, orderBy, allDescendants } = this.query ?? {};
    return { from: [{ collectionId: idOf(this.path), allDescendants }], where, orderBy };
  }

  async load() {
    const { signal } = this.listening;
    try {
      const columns = await this.columns(signal);
      const size = pageSize * this.pages;
      let found;
      let hasMore;
      if (this.query) {
        const fields = ['__name__', ...columns.map(column => column.path)].map(fieldPath => ({ fieldPath }));
        found = await runQuery(parentOf(this.path), { ...this.structuredQuery(), select: { fields }, limit: size + 1 }, signal);
        hasMore = found.length > size;
        found = found.slice(0, size);
      } else {
        const page = await listDocuments(this.path, {
          pageSize: size, fields: columns.map(column => column.path), showMissing: true, signal });
        [found, hasMore] = [page.documents, page.nextPageToken !== null];
      }
      const total = await count(parentOf(this.path), this.structuredQuery(), countLimit, signal);
      this.show(found, columns, hasMore, total);
    } catch (error) {
      if (signal.aborted) return;
      this.status.textContent = '';
      throw error;
    }
  }

  /** Up to four fields of the first document whose values are short, which are shown of all documents. */
  async columns(signal) {
    const [first] = await runQuery(parentOf(this.path), { ...this.structuredQuery(), limit: 1 }, signal);
    return Object.entries(first?.fields ?? {})
      .filter(([, value]) => !['map', 'array', 'bytes', 'null'].includes(typeOf(value)) && String(contentOf(value)).length < 200)
      .map(([name]) => name)
      .sort((a, b) => preference(a) - preference(b) || (a < b ? -1 : 1)).slice(0, 4)
      .map(name => ({ name, path: quoted(name) }));
  }

  show(documents, columns, hasMore, total) {
    const exact = total > countLimit ? `more than ${countLimit}` : String(total);
    const noun = total === 1 ? 'document' : 'documents';
    this.status.textContent = total === 0 && !documents.length
      ? (this.query ? 'No document matches.' : 'There are no documents in this collection.')
      : `${exact} ${noun}${hasMore ? `, ${documents.length} shown` : ''}`;
    const isFirst = this.versions.size === 0;
    const versions = new Map(documents.map(document => [document.name, document.updateTime ?? '']));
    const rows = documents.map(document => {
      const path = pathOf(document.name);
      const isMissing = !document.updateTime;
      const isNew = !isFirst && this.versions.get(document.name) !== (document.updateTime ?? '');
      return h('tr', { class: isNew ? 'changed' : null },
        h('th', { scope: 'row' }, h('a', { href: addressOf(path) }, this.query?.allDescendants ? path : idOf(path))),
        isMissing
          ? h('td', { colspan: Math.max(columns.length, 1), class: 'quiet' }, 'No document, but collections below')
          : columns.map(column => {
            const value = document.fields?.[column.name];
            return h('td', { 'data-name': column.name, class: value ? typeOf(value) : 'quiet' }, value ? summaryOf(value, 80) : '–');
          }));
    });
    this.versions = versions;
    const focused = document.activeElement?.getAttribute('href');
    replace(this.table, documents.length
      ? h('table', {}, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'ID'), columns.map(column => h('th', { scope: 'col' }, column.name)))),
        h('tbody', {}, rows))
      : null,
    hasMore ? h('button', { type: 'button', class: 'wide', click: action(() => { this.pages += 1; return this.load(); }) }, `Show ${pageSize} more`) : null);
    if (focused) [...this.table.querySelectorAll('a')].find(link => link.getAttribute('href') === focused)?.focus();
  }

  openDelete() {
    openDialog({
      title: 'Delete collection', button: 'Delete', isDangerous: true,
      content: h('p', {}, `All documents in ${this.path} and below are deleted. This can’t be undone.`),
      submit: async () => {
        const total = await deleteAll(this.path, number => say(`${number} documents deleted.`));
        say(`${total} documents deleted.`);
        location.hash = addressOf(parentOf(this.path));
        await this.parent.changed(this.path);
      },
    });
  }
}

const preferred = ['name', 'title', 'displayName', 'email', 'state', 'status'];
const preference = name => (preferred.includes(name) ? preferred.indexOf(name) : preferred.length);
const quoted = name => (/^[A-Za-z_][A-Za-z_0-9]*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``);

/** Opens the dialog that adds a document to a collection, or a collection with its first document. */
export function openAdd(collection, view, parent = '') {
  const name = h('input', { type: 'text', required: true, autocapitalize: 'off', spellcheck: 'false' });
  const id = h('input', { type: 'text', autocapitalize: 'off', spellcheck: 'false', placeholder: 'automatic' });
  const text = h('textarea', { rows: 8, spellcheck: 'false', class: 'code', value: '{\n  \n}' });
  openDialog({
    title: collection ? `Add a document to ${idOf(collection)}` : 'New collection', button: 'Add',
    content: [collection ? null : field('Collection ID', name), field('Document ID', id),
      field('Fields as JSON', text, formsHint)],
    submit: async () => {
      const place = collection || (parent ? `${parent}/${name.value.trim()}` : name.value.trim());
      const fields = fieldsOf(parseJSON(text.value));
      const query = id.value ? `?documentId=${encodeURIComponent(id.value)}` : '';
      const made = await backend(`${documentURL(place)}${query}`, { method: 'POST', body: { fields } });
      const path = pathOf(made.name);
      await view.changed(path);
      await view.tree.refresh(parentOf(place));
      say(`${path} was added.`);
      location.hash = addressOf(path);
    },
  });
}

export const formsHint = 'Also {"$timestamp": "2026-11-29T10:15:00Z"}, {"$double": 1}, {"$bytes": "AQI="}, {"$point": [52.5, 13.4]}, {"$reference": "notes/n1"}.';

/** Opens the dialog that deletes a document. */
export function openDelete(path, view) {
  const below = h('input', { type: 'checkbox', checked: true });
  openDialog({
    title: 'Delete document', button: 'Delete', isDangerous: true,
    content: [h('p', {}, `${path} is deleted. This can’t be undone.`), check('Also delete the collections below it', below)],
    submit: async () => {
      if (below.checked) await deleteAll(path);
      else await backend(documentURL(path), { method: 'DELETE' });
      say(`${path} was deleted.`);
      location.hash = addressOf(parentOf(path));
      await view.changed(path);
    },
  });
}


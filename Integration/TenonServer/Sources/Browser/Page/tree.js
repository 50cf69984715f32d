// The tree of collections and documents. Each level is loaded when it is opened, documents in pages of 50.

import { idOf, isCollection, listCollections, listDocuments, pathOf } from './backend.js';
import { action, h, replace, say, showProblem } from './elements.js';
import { addressOf } from './documents.js';

const pageSize = 50;

class Node {
  constructor(path, tree, level) {
    this.path = path;
    this.tree = tree;
    this.level = level;
    this.children = null;
    this.isOpen = false;
    this.nextPageToken = null;
    this.group = h('ul', { role: 'group', hidden: true });
    this.toggle = h('span', { class: 'toggle', 'aria-hidden': 'true', click: action(event => {
      event.stopPropagation();
      return this.setOpen(!this.isOpen);
    }) });
    const kind = isCollection(path) ? 'collection' : 'document';
    this.row = h('div', { class: `row ${kind}`, click: () => tree.choose(this) }, this.toggle,
      h('span', { class: 'name', title: idOf(path) }, idOf(path)));
    this.row.style.setProperty('--level', level);
    this.element = h('li', {
      role: 'treeitem', tabindex: '-1', 'aria-expanded': 'false', 'aria-level': level + 1,
      'aria-label': `${idOf(path)}, ${kind}`,
    }, this.row, this.group);
    this.element.node = this;
  }

  async setOpen(isOpen) {
    if (isOpen && this.children === null) await this.load();
    this.isOpen = isOpen && this.children.length > 0;
    this.element.setAttribute('aria-expanded', String(this.isOpen));
    this.element.classList.toggle('empty', this.children?.length === 0);
    this.group.hidden = !this.isOpen;
    if (isOpen && !this.isOpen) say(`${idOf(this.path)} has nothing below it.`);
  }

  /** Loads the first page, or as much as has been shown so far. */
  async load() {
    this.show(...(await this.fetch(Math.max(pageSize, this.children?.length ?? 0))));
  }

  async fetch(size, pageToken) {
    const path = this.path;
    if (path && isCollection(path)) {
      const page = await listDocuments(path, { pageSize: size, pageToken, showMissing: true });
      return [page.documents.map(document => pathOf(document.name)), page.nextPageToken];
    }
    const ids = await listCollections(path);
    return [ids.map(id => (path ? `${path}/${id}` : id)), null];
  }

  async more() {
    const [paths, token] = await this.fetch(pageSize, this.nextPageToken);
    const place = this.children.length;
    this.show([...this.children.map(child => child.path), ...paths], token);
    this.tree.focus(this.children[place] ?? this);
  }

  /** Shows children, and keeps the ones that are shown already. */
  show(paths, token) {
    const known = new Map((this.children ?? []).map(child => [child.path, child]));
    this.children = paths.map(path => known.get(path) ?? new Node(path, this.tree, this.level + 1));
    this.nextPageToken = token;
    const focused = document.activeElement;
    replace(this.group, this.children.map(child => child.element), token ? this.moreElement() : null);
    if (focused?.isConnected && this.group.contains(focused)) focused.focus();
    this.element.classList.toggle('empty', paths.length === 0);
  }

  moreElement() {
    const item = h('li', {
      role: 'treeitem', tabindex: '-1', class: 'more', 'aria-level': this.level + 2,
      click: action(() => this.more()),
    }, h('div', { class: 'row' }, 'Show 50 more'));
    item.firstChild.style.setProperty('--level', this.level + 1);
    return item;
  }
}

export class Tree {
  constructor(choose) {
    this.chooseAddress = choose;
    this.root = new Node('', this, -1);
    this.root.group.hidden = false;
    this.root.group.setAttribute('role', 'tree');
    this.root.group.setAttribute('aria-label', 'Collections and documents');
    this.root.group.addEventListener('keydown', event => this.key(event));
    this.empty = h('p', { class: 'quiet', hidden: true }, 'There are no documents yet.');
    this.element = h('div', { class: 'tree' }, this.root.group, this.empty);
    this.selected = null;
  }

  async load() {
    await this.root.load();
    this.empty.hidden = this.root.children.length > 0;
    if (!this.element.querySelector('[tabindex="0"]')) this.items()[0]?.setAttribute('tabindex', '0');
  }

  /** Loads what is shown of a collection or a document again, after a change. */
  async refresh(path) {
    const node = path === '' ? this.root : this.find(path);
    if (!node || node.children === null) return;
    await (node === this.root ? this.load() : node.load());
  }

  find(path) {
    return this.items().map(item => item.node).find(node => node?.path === path) ?? null;
  }

  /** Opens the way to a path, as far as it is there, and selects its node. */
  async reveal(path) {
    let node = this.root;
    const parts = path ? path.split('/') : [];
    for (let count = 1; count <= parts.length; count += 1) {
      const next = parts.slice(0, count).join('/');
      if (node !== this.root && !node.isOpen) {
        try { await node.setOpen(true); } catch (error) { showProblem(error); }
      }
      const child = node.children?.find(each => each.path === next);
      if (!child) break;
      node = child;
    }
    this.selected?.element.removeAttribute('aria-selected');
    this.selected = node === this.root ? null : node;
    if (!this.selected) return;
    node.element.setAttribute('aria-selected', 'true');
    this.setTabStop(node.element);
    node.row.scrollIntoView({ block: 'nearest' });
  }

  choose(node) {
    this.setTabStop(node.element);
    this.chooseAddress(addressOf(node.path));
  }

  setTabStop(item) {
    for (const other of this.element.querySelectorAll('[tabindex="0"]')) other.setAttribute('tabindex', '-1');
    item.setAttribute('tabindex', '0');
  }

  focus(node) {
    const item = node.element ?? node;
    this.setTabStop(item);
    item.focus();
  }

  /** The items that can be seen, in their order. */
  items() {
    return [...this.element.querySelectorAll('[role=treeitem]')].filter(item => !item.parentNode.closest('[hidden]'));
  }

  key(event) {
    const item = event.target.closest('[role=treeitem]');
    if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
    const items = this.items();
    const place = items.indexOf(item);
    const node = item.node;
    const parent = item.parentNode.closest('[role=treeitem]');
    const move = target => target && this.focus(target);
    switch (event.key) {
      case 'ArrowDown': move(items[place + 1]); break;
      case 'ArrowUp': move(items[place - 1]); break;
      case 'Home': move(items[0]); break;
      case 'End': move(items[items.length - 1]); break;
      case 'ArrowRight':
        if (node?.isOpen) move(items[place + 1]);
        else if (node) action(() => node.setOpen(true))();
        break;
      case 'ArrowLeft':
        if (node?.isOpen) node.setOpen(false);
        else move(parent);
        break;
      case 'Enter': case ' ':
        if (node) this.choose(node); else item.click();
        break;
      default: return;
    }
    event.preventDefault();
  }
}

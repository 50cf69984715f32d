// The view of objects: buckets, their folders in pages of 50, and each object with its metadata.

import { backend, send, server } from './backend.js';
import {
  action, field, h, keepCurrent, openDialog, replace, replaceKeepingFocus, say, showProblem, size, time,
} from './elements.js';

const pageSize = 50;
/** As many names of a folder are kept current. */
const mostCurrent = 1000;
const largestPreview = 5 << 20;
const addressOf = (bucket, name = '') => `#/objects/${encodeURIComponent(bucket)}${name ? `/${encodeURIComponent(name)}` : ''}`;
const bucketURL = bucket => `storage/v1/b/${encodeURIComponent(bucket)}/o`;
const objectURL = (bucket, name) => `${bucketURL(bucket)}/${encodeURIComponent(name)}`;

export class ObjectsView {
  constructor(container) { this.container = container; }

  /** @param parts the bucket, and a folder, which ends with a slash, or an object. */
  async show([bucket, name = ''], signal) {
    showProblem(null);
    if (!bucket) return this.showBuckets(signal);
    if (name === '' || name.endsWith('/')) return this.showFolder(bucket, name, signal);
    return this.showObject(bucket, name, signal);
  }

  path(bucket, name) {
    const parts = name.split(/(?<=\/)/).filter(Boolean);
    return h('nav', { 'aria-label': 'Path', class: 'path' }, h('a', { href: '#/objects' }, 'Objects'),
      bucket ? [h('span', { 'aria-hidden': 'true' }, '/'), h('a', { href: addressOf(bucket) }, bucket)] : null,
      parts.map((part, index) => [h('span', { 'aria-hidden': 'true' }, '/'),
        h('a', { href: addressOf(bucket, parts.slice(0, index + 1).join('')), 'aria-current': index === parts.length - 1 ? 'page' : null }, part.replace(/\/$/, ''))]));
  }

  async showBuckets(signal) {
    let shown;
    const load = async () => {
      const { items = [] } = await backend(`storage/v1/b?project=${encodeURIComponent(server.project)}`, { signal });
      const names = items.map(bucket => bucket.name).join();
      if (signal.aborted || names === shown) return;
      shown = names;
      this.replaceBuckets(items);
    };
    await load();
    keepCurrent(signal, load);
  }

  replaceBuckets(items) {
    replaceKeepingFocus(this.container, h('div', { class: 'single' }, h('div', { class: 'title' }, h('h1', {}, 'Objects')),
      items.length
        ? h('ul', { class: 'list panel' }, items.map(bucket => h('li', {}, h('a', { href: addressOf(bucket.name) }, bucket.name))))
        : h('p', { class: 'quiet' }, 'There are no buckets yet. The first upload creates one.'),
      items.length ? null : h('p', {}, h('a', { href: addressOf(`${server.project}.appspot.com`) }, `Upload to ${server.project}.appspot.com`))));
  }

  async showFolder(bucket, folder, signal) {
    const list = h('div', { class: 'results' });
    const status = h('p', { class: 'quiet', role: 'status' }, 'Loading');
    replace(this.container, h('div', { class: 'single' }, this.path(bucket, folder),
      h('div', { class: 'title' }, h('h1', {}, folder ? folder.split('/').at(-2) : bucket), h('div', { class: 'buttons' },
        h('button', { type: 'button', class: 'primary', click: () => this.openUpload(bucket, folder) }, 'Upload'))), status, list));
    let [entries, pageToken, shown] = [[], undefined, undefined];
    /** Returns the folders and objects of a page. */
    const page = async (maxResults, token) => {
      const query = new URLSearchParams({ delimiter: '/', prefix: folder, maxResults });
      if (token) query.set('pageToken', token);
      const found = await backend(`${bucketURL(bucket)}?${query}`, { signal });
      return { found: [...(found.prefixes ?? []).map(name => ({ name })), ...(found.items ?? [])], next: found.nextPageToken };
    };
    const showEntries = () => {
      shown = JSON.stringify([entries, pageToken]);
      const rows = entries.map(item => h('tr', {},
        h('th', { scope: 'row' }, h('a', { href: addressOf(bucket, item.name) }, item.name.slice(folder.length) || item.name)),
        item.generation ? [h('td', { 'data-name': 'Type' }, item.contentType ?? ''), h('td', { 'data-name': 'Size' }, size(item.size)), h('td', { 'data-name': 'Changed' }, time(item.updated))]
          : h('td', { colspan: 3, class: 'quiet' }, 'folder')));
      status.textContent = rows.length ? `${rows.length} here${pageToken ? ', and more' : ''}` : 'There is nothing here.';
      replaceKeepingFocus(list, rows.length ? h('table', {}, h('thead', {}, h('tr', {}, ['Name', 'Type', 'Size', 'Changed'].map(name => h('th', { scope: 'col' }, name)))), h('tbody', {}, rows)) : null,
        pageToken ? h('button', { type: 'button', class: 'wide', click: action(more) }, `Show ${pageSize} more`) : null);
    };
    const more = async () => {
      const { found, next } = await page(pageSize, pageToken);
      if (signal.aborted) return;
      [entries, pageToken] = [[...entries, ...found], next];
      showEntries();
    };
    const refresh = async () => {
      const before = entries;
      if (before.length > mostCurrent) return;
      try {
        const { found, next } = await page(Math.max(Math.ceil(before.length / pageSize), 1) * pageSize);
        if (signal.aborted || entries !== before || JSON.stringify([found, next]) === shown) return;
        [entries, pageToken] = [found, next];
        showEntries();
      } catch (error) {
        if (error.status !== 404) throw error;
        [entries, pageToken] = [[], undefined];
        showEntries();
        status.textContent = 'The bucket doesn’t exist yet. The first upload creates it.';
      }
    };
    await refresh();
    keepCurrent(signal, refresh);
  }

  openUpload(bucket, folder) {
    const file = h('input', { type: 'file', required: true });
    const name = h('input', { type: 'text', autocapitalize: 'off', spellcheck: 'false', value: folder });
    file.addEventListener('change', () => { if (file.files[0]) name.value = folder + file.files[0].name; });
    openDialog({
      title: 'Upload an object', button: 'Upload', content: [field('File', file), field('Name', name)],
      submit: async () => {
        const query = new URLSearchParams({ uploadType: 'media', name: name.value });
        await send(`backend/upload/${bucketURL(bucket)}?${query}`, {
          method: 'POST', content: file.files[0], type: file.files[0].type || 'application/octet-stream' });
        say(`${name.value} was uploaded.`);
        location.hash = addressOf(bucket, name.value);
      },
    });
  }

  async showObject(bucket, name, signal) {
    const load = () => backend(objectURL(bucket, name), { signal });
    const item = await load();
    const shown = new AbortController();
    signal.addEventListener('abort', () => shown.abort());
    keepCurrent(shown.signal, async () => {
      let found;
      try { found = await load(); } catch (error) { if (error.status !== 404) throw error; }
      if (shown.signal.aborted || (found?.generation === item.generation && found?.metageneration === item.metageneration)) return;
      shown.abort();
      if (found) return this.showObject(bucket, name, signal);
      replace(this.container, h('div', { class: 'single' }, this.path(bucket, name), h('p', {}, 'The object was deleted.')));
    });
    const preview = h('div', { class: 'preview' });
    const facts = [['Type', item.contentType], ['Size', size(item.size)], ['Created', time(item.timeCreated)], ['Changed', time(item.updated)],
      ['Generation', item.generation], ['MD5', item.md5Hash], ...Object.entries(item.metadata ?? {})].filter(([, text]) => text);
    replace(this.container, h('div', { class: 'single' }, this.path(bucket, name),
      h('div', { class: 'title' }, h('h1', {}, name.split('/').at(-1)), h('div', { class: 'buttons' },
        h('button', { type: 'button', click: action(() => this.download(bucket, name)) }, 'Download'),
        h('button', { type: 'button', class: 'danger-quiet', click: () => this.openDelete(bucket, name) }, 'Delete object'))),
      h('dl', { class: 'facts' }, facts.map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text)))), preview));
    const type = item.contentType ?? '';
    if (Number(item.size) > largestPreview) return;
    // An image has no scripts. Everything else is shown as text, or not at all.
    if (type.startsWith('image/')) {
      const url = URL.createObjectURL(await this.content(bucket, name, signal));
      signal.addEventListener('abort', () => URL.revokeObjectURL(url));
      replace(preview, h('img', { src: url, alt: `Preview of ${name}` }));
    } else if (type.startsWith('text/') || type.includes('json') || type.includes('xml')) {
      const text = await (await this.content(bucket, name, signal)).text();
      replace(preview, h('pre', { tabindex: 0, 'aria-label': 'Content' }, text.slice(0, 100000)));
    }
  }

  async content(bucket, name, signal) {
    return (await send(`backend/${objectURL(bucket, name)}?alt=media`, { signal })).blob();
  }

  async download(bucket, name) {
    const url = URL.createObjectURL(await this.content(bucket, name));
    h('a', { href: url, download: name.split('/').at(-1) }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }

  openDelete(bucket, name) {
    openDialog({
      title: 'Delete object', button: 'Delete', isDangerous: true,
      content: h('p', {}, `${name} is deleted. This can’t be undone.`),
      submit: async () => {
        await backend(objectURL(bucket, name), { method: 'DELETE' });
        say(`${name} was deleted.`);
        location.hash = addressOf(bucket, name.includes('/') ? name.slice(0, name.lastIndexOf('/') + 1) : '');
      },
    });
  }
}

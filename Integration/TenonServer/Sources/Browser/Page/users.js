// The view of users: pages of 50, and a form for each user.

import { backend, post, server } from './backend.js';
import {
  action, check, field, h, keepCurrent, openDialog, replace, replaceKeepingFocus, say, showProblem, time,
} from './elements.js';
import { parseJSON } from './values.js';

const pageSize = 50;
/** As many users are kept current. */
const mostCurrent = 1000;
const root = () => `identitytoolkit.googleapis.com/v1/projects/${encodeURIComponent(server.project)}/accounts`;
const addressOf = id => `#/users/${encodeURIComponent(id)}`;

/** Returns the user with an ID, an email address or a phone number; `null` if there is none. */
async function lookUp(text) {
  for (const query of [{ localId: [text] }, { email: [text] }, { phoneNumber: [text] }]) {
    try {
      const { users } = await post(`${root()}:lookup`, query);
      if (users?.length) return users[0];
    } catch (error) { if (error.status !== 400) throw error; }
  }
  return null;
}

const providersOf = user => (user.providerUserInfo ?? []).map(each => each.providerId).join(', ') || 'anonymous';
const milliseconds = text => (text ? new Date(Number(text)).toISOString() : '');
const nameOf = user => user.email || user.phoneNumber || user.displayName || user.localId;

export class UsersView {
  constructor(container) { this.container = container; }

  async show([id], signal) {
    showProblem(null);
    if (id) return this.showUser(id, signal);
    this.users = [];
    this.nextPageToken = undefined;
    this.status = h('p', { class: 'quiet', role: 'status' }, 'Loading');
    this.table = h('div', { class: 'results' });
    const search = h('input', { type: 'search', autocapitalize: 'off', spellcheck: 'false' });
    replace(this.container, h('div', { class: 'single' },
      h('div', { class: 'title' }, h('h1', {}, 'Users'), h('div', { class: 'buttons' },
        h('button', { type: 'button', class: 'primary', click: () => this.openAdd() }, 'Add user'))),
      h('form', { class: 'line search', role: 'search', submit: action(async () => {
        const user = await lookUp(search.value.trim());
        if (user) location.hash = addressOf(user.localId);
        else this.status.textContent = `There is no user ${search.value.trim()}.`;
      }) }, field('Email, phone number or ID', search), h('button', { type: 'submit' }, 'Find')),
      this.status, this.table));
    await this.more(signal);
    keepCurrent(signal, () => this.refresh(signal));
  }

  async page(maxResults, token, signal) {
    const query = new URLSearchParams({ maxResults });
    if (token) query.set('nextPageToken', token);
    const { users = [], nextPageToken } = await backend(`${root()}:batchGet?${query}`, { signal });
    return { users, nextPageToken: users.length === maxResults ? nextPageToken : undefined };
  }

  async more(signal) {
    const { users, nextPageToken } = await this.page(pageSize, this.nextPageToken, signal);
    if (signal.aborted) return;
    this.users.push(...users);
    this.showUsers(nextPageToken, signal);
  }

  /** Loads the users that are shown again. */
  async refresh(signal) {
    const before = this.users;
    if (before.length > mostCurrent) return;
    const number = Math.max(Math.ceil(before.length / pageSize), 1) * pageSize;
    const { users, nextPageToken } = await this.page(number, undefined, signal);
    if (signal.aborted || this.users !== before || JSON.stringify(users) === JSON.stringify(before)) return;
    this.users = users;
    this.showUsers(nextPageToken, signal);
  }

  showUsers(nextPageToken, signal) {
    this.nextPageToken = nextPageToken;
    const number = this.users.length;
    this.status.textContent = number === 0 ? 'There are no users yet.' : `${number} user${number === 1 ? '' : 's'}${this.nextPageToken ? ' shown' : ''}`;
    replaceKeepingFocus(this.table, number ? h('table', {},
      h('thead', {}, h('tr', {}, ['User', 'ID', 'Signs in with', 'Created', 'Last sign-in'].map(name => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, this.users.map(user => h('tr', {},
        h('th', { scope: 'row' }, h('a', { href: addressOf(user.localId) }, user.email || user.phoneNumber || user.displayName || 'Anonymous'), user.disabled ? h('span', { class: 'type' }, ' disabled') : null),
        h('td', { 'data-name': 'ID', class: 'mono' }, user.localId), h('td', { 'data-name': 'Signs in with' }, providersOf(user)),
        h('td', { 'data-name': 'Created' }, time(milliseconds(user.createdAt))),
        h('td', { 'data-name': 'Last sign-in' }, time(milliseconds(user.lastLoginAt)) || 'never'))))) : null,
    this.nextPageToken ? h('button', { type: 'button', class: 'wide', click: action(() => this.more(signal)) }, `Show ${pageSize} more`) : null);
  }

  openAdd() {
    const input = attributes => h('input', { type: 'text', autocapitalize: 'off', spellcheck: 'false', autocomplete: 'off', ...attributes });
    const [email, password, name, id] = [input({ type: 'email' }), input(), input(), input({ placeholder: 'automatic' })];
    openDialog({
      title: 'Add user', button: 'Add',
      content: [field('Email', email), field('Password', password), field('Display name', name), field('ID', id)],
      submit: async () => {
        const made = await post(root(), {
          email: email.value || undefined, password: password.value || undefined,
          displayName: name.value || undefined, localId: id.value || undefined });
        say('The user was added.');
        location.hash = addressOf(made.localId);
      },
    });
  }

  async showUser(id, signal) {
    const { users } = await post(`${root()}:lookup`, { localId: [id] }, { signal });
    const user = users?.[0];
    const path = h('nav', { 'aria-label': 'Path', class: 'path' }, h('a', { href: '#/users' }, 'Users'),
      h('span', { 'aria-hidden': 'true' }, '/'), h('a', { href: addressOf(id), 'aria-current': 'page' }, id));
    if (signal.aborted) return;
    const news = h('div', { role: 'status' });
    let isEdited = false;
    const shown = new AbortController();
    signal.addEventListener('abort', () => shown.abort());
    keepCurrent(shown.signal, async () => {
      const found = await post(`${root()}:lookup`, { localId: [id] }, { signal: shown.signal });
      if (shown.signal.aborted || JSON.stringify(found.users?.[0]) === JSON.stringify(user)) return;
      shown.abort();
      if (!isEdited && !this.container.querySelector('form')?.contains(document.activeElement)) return this.showUser(id, signal);
      replace(news, h('p', { class: 'problem' }, 'This user was changed elsewhere. What is saved here replaces that.'));
    });
    if (!user) return replace(this.container, h('div', { class: 'single' }, path, h('p', {}, 'There is no user with this ID.')));
    const input = (value, attributes) => h('input', { type: 'text', autocapitalize: 'off', spellcheck: 'false', autocomplete: 'off', value: value ?? '', ...attributes });
    const [name, email, phone, password] = [input(user.displayName), input(user.email, { type: 'email' }), input(user.phoneNumber), input('', { placeholder: 'unchanged' })];
    const [verified, disabled] = [h('input', { type: 'checkbox', checked: user.emailVerified }), h('input', { type: 'checkbox', checked: user.disabled })];
    const claims = h('textarea', { class: 'code', rows: 4, spellcheck: 'false', value: user.customAttributes || '{}' });
    replace(this.container, h('div', { class: 'single' }, path,
      h('div', { class: 'title' }, h('h1', {}, nameOf(user)), h('div', { class: 'buttons' },
        h('button', { type: 'button', class: 'danger-quiet', click: () => this.openDelete(user) }, 'Delete user'))),
      h('dl', { class: 'facts' }, [['ID', user.localId], ['Signs in with', providersOf(user)], ['Created', time(milliseconds(user.createdAt))],
        ['Last sign-in', time(milliseconds(user.lastLoginAt)) || 'never']].map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text)))),
      h('form', { class: 'panel', submit: action(async () => {
        const attributes = JSON.stringify(parseJSON(claims.value || '{}'));
        const removed = [[name, 'DISPLAY_NAME'], [email, 'EMAIL']].filter(([each]) => each.value === '').map(([, kind]) => kind);
        await post(`${root()}:update`, {
          localId: id, displayName: name.value || undefined, email: email.value || undefined,
          deleteAttribute: removed.length ? removed : undefined, phoneNumber: phone.value || undefined,
          deleteProvider: phone.value === '' && user.phoneNumber ? ['phone'] : undefined,
          password: password.value || undefined, emailVerified: verified.checked, disableUser: disabled.checked,
          customAttributes: attributes });
        say('The user was saved.');
        shown.abort();
        await this.showUser(id, signal);
      }), input: () => { isEdited = true; } }, news, h('div', { class: 'grid' }, field('Display name', name), field('Email', email), field('Phone number', phone), field('New password', password)),
      check('The email address is verified', verified), check('Disabled', disabled), field('Custom claims as JSON', claims),
      h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Save')))));
  }

  openDelete(user) {
    openDialog({
      title: 'Delete user', button: 'Delete', isDangerous: true,
      content: h('p', {}, `${nameOf(user)} is deleted. This can’t be undone.`),
      submit: async () => {
        await post(`${root()}:delete`, { localId: user.localId });
        say('The user was deleted.');
        location.hash = '#/users';
      },
    });
  }
}

// Shows the view for the address after the #. The path there has one part for each ID.

import { ask, server, showLive } from './backend.js';
import { DocumentsView } from './documents.js';
import { h, replace, showProblem } from './elements.js';
import { FunctionsView } from './functions.js';
import { ObjectsView } from './objects.js';
import { RulesView } from './rules.js';
import { UsersView } from './users.js';

const views = { documents: DocumentsView, users: UsersView, objects: ObjectsView, functions: FunctionsView, rules: RulesView };
const content = document.getElementById('content');
let present = { name: null, view: null, ending: null };

function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

async function route() {
  const [name = 'documents', ...parts] = location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decoded);
  if (!views[name]) return location.replace(`${location.pathname}${location.search}#/documents`);
  const isFirst = present.ending === null;
  present.ending?.abort();
  const ending = new AbortController();
  if (present.name !== name) present = { name, view: new views[name](content) };
  present.ending = ending;
  for (const link of document.querySelectorAll('#services a')) {
    if (link.hash === `#/${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  // Rules are shown as they were when the view was opened.
  showLive(name !== 'rules');
  document.title = `${parts.at(-1) ?? name[0].toUpperCase() + name.slice(1)} – ${server.project} – Tenon data`;
  try {
    await present.view.show(parts, ending.signal);
    // What had the focus may be gone. Users of a keyboard go on at the heading.
    if (!ending.signal.aborted && !isFirst && document.activeElement === document.body) {
      const heading = content.querySelector('.detail h1, .single h1');
      heading?.setAttribute('tabindex', '-1');
      heading?.focus({ preventScroll: true });
    }
  } catch (error) { if (!ending.signal.aborted) showProblem(error); }
}

async function begin() {
  try { Object.assign(server, await ask('information')); } catch (error) {
    showLive(true, false);
    return showProblem(error);
  }
  if (server.databases.length && !server.databases.includes(server.database)) server.database = server.databases[0];
  document.getElementById('project').textContent = server.project;
  document.getElementById('skip').addEventListener('click', event => {
    event.preventDefault();
    content.focus();
  });
  addEventListener('hashchange', () => {
    if (!document.querySelector('dialog')) document.querySelector('h1')?.scrollIntoView({ block: 'nearest' });
    route();
  });
  addEventListener('databasechange', () => {
    present.name = null;
    route();
  });
  replace(content, h('p', { class: 'quiet' }, 'Loading'));
  route();
}

begin();

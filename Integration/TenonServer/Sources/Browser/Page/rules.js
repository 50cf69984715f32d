// The view of Security Rules: their text, and their verdict for a request.

import { ask, server } from './backend.js';
import { action, field, h, replace, say, select, showProblem } from './elements.js';
import { formsHint } from './documents.js';
import { fieldsOf, parseJSON } from './values.js';

const methods = {
  documents: ['get', 'list', 'create', 'update', 'set', 'delete'], objects: ['get', 'list', 'create', 'update', 'delete'],
};

export class RulesView {
  constructor(container) { this.container = container; }

  async show([service = 'documents'], signal) {
    showProblem(null);
    this.service = service === 'objects' ? 'objects' : 'documents';
    const found = await ask('rules', { signal });
    const rules = found[this.service];
    replace(this.container, h('div', { class: 'single wide' },
      h('div', { class: 'title' }, h('h1', {}, 'Security Rules'), h('nav', { class: 'tabs', 'aria-label': 'Service' },
        ['documents', 'objects'].map(name => h('a', { href: `#/rules/${name}`, 'aria-current': name === this.service ? 'page' : null }, name === 'documents' ? 'Documents' : 'Objects')))),
      rules ? h('div', { class: 'halves' }, this.source(rules), this.question()) : this.missing(found.protection)));
  }

  missing(protection) {
    const isOfDocuments = this.service === 'documents';
    if (isOfDocuments && protection) return h('p', {}, protection);
    return h('p', {}, `There are no rules for ${this.service}, so every user has access to all of them. Name a file with `,
      h('code', {}, isOfDocuments ? '--rules' : '--storage-rules'), ' or in firebase.json.');
  }

  source(rules) {
    this.lines = rules.source.replace(/\n$/, '').split('\n').map(line => h('li', {}, h('code', {}, line || ' ')));
    return h('section', { 'aria-label': 'Rules' },
      rules.warnings.length ? h('ul', { class: 'warnings' }, rules.warnings.map(text => h('li', {}, text))) : null,
      h('ol', { class: 'source panel', tabindex: '0', 'aria-label': 'Lines of the rules' }, this.lines));
  }

  question() {
    const isOfDocuments = this.service === 'documents';
    const input = attributes => h('input', { type: 'text', autocapitalize: 'off', spellcheck: 'false', ...attributes });
    const method = select(methods[this.service], 'get', { change: () => { data.hidden = !['create', 'update', 'set'].includes(method.value); } });
    const path = input({ required: true, placeholder: isOfDocuments ? 'notes/n1' : 'avatars/ann.png' });
    const bucket = input({ value: `${server.project}.appspot.com` });
    const [uid, claims] = [input({ placeholder: 'nobody' }), h('textarea', { class: 'code', rows: 2, spellcheck: 'false', value: '{}' })];
    const content = h('textarea', { class: 'code', rows: 5, spellcheck: 'false', value: '{}' });
    const data = h('div', { hidden: true }, field(isOfDocuments ? 'Fields as JSON' : 'Metadata as JSON', content, isOfDocuments ? formsHint : 'Such as {"size": 1000, "contentType": "image/png"}.'));
    const outcome = h('div', { role: 'status', class: 'outcome' });
    return h('section', { 'aria-label': 'Try a request' }, h('form', { class: 'panel', submit: action(async () => {
      replace(outcome);
      const verdict = await ask('rules/verdict', { method: 'POST', body: {
        service: this.service, database: server.database, method: method.value, path: path.value.trim(), bucket: bucket.value,
        uid: uid.value.trim(), claims: fieldsOf(parseJSON(claims.value || '{}')), fields: data.hidden ? undefined : fieldsOf(parseJSON(content.value || '{}')) } });
      this.showVerdict(verdict, outcome);
    }) }, h('h2', {}, 'Try a request'), h('p', { class: 'quiet' }, 'The rules decide with the stored data. Nothing is changed.'),
    h('div', { class: 'grid' }, field('Method', method), isOfDocuments ? null : field('Bucket', bucket)),
    field(isOfDocuments ? 'Path' : 'Name', path), data, field('User ID', uid), field('Claims as JSON', claims),
    h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Ask'))), outcome);
  }

  showVerdict(verdict, place) {
    const failed = new Set(verdict.reasons.map(reason => reason.line));
    this.lines.forEach((line, index) => line.classList.toggle('failed', failed.has(index + 1)));
    const text = verdict.allowed ? 'Allowed' : 'Denied';
    replace(place, h('p', { class: `verdict ${verdict.allowed ? 'good' : 'bad'}` }, text),
      !verdict.allowed && !verdict.reasons.length ? h('p', {}, 'No statement applies to the path and the method.') : null,
      verdict.explanation ? h('pre', { tabindex: 0, 'aria-label': 'Values of the expressions' }, verdict.explanation) : null);
    say(text);
  }
}

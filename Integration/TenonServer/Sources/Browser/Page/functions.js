// The view of functions: each with its last calls, and the events that weren't handled.

import { ask, server } from './backend.js';
import { action, h, keepCurrent, replace, showProblem, time } from './elements.js';

const kinds = { callable: 'Callable', request: 'HTTP', event: 'Event', blocking: 'Blocking' };

/** The last part of the type of an event, and what it is about. */
const eventText = type => type.split('.').slice(-4).join('.').replace(/\.v\d+\./, ' ');

export class FunctionsView {
  constructor(container) { this.container = container; }

  async show(parts, signal) {
    showProblem(null);
    this.shown = null;
    this.list = h('div', { class: 'cards' });
    replace(this.container, h('div', { class: 'single' }, h('div', { class: 'title' }, h('h1', {}, 'Functions')), this.list));
    await this.load();
    keepCurrent(signal, () => this.load());
  }

  async load() {
    const found = await ask('functions');
    const text = JSON.stringify(found);
    if (text === this.shown) return;
    this.shown = text;
    const focused = document.activeElement?.dataset?.event;
    replace(this.list, found.failures.length ? this.failures(found.failures) : null,
      found.functions.length ? found.functions.map(each => this.card(each)) : h('p', { class: 'quiet' }, 'No functions are registered.'));
    if (focused) this.list.querySelector(`[data-event="${CSS.escape(focused)}"]`)?.focus();
  }

  card(each) {
    const place = each.kind === 'event' ? `${eventText(each.event)}${each.subject ? ` of ${each.subject}` : ''}`
      : each.kind === 'blocking' ? 'before a user is created or signs in'
        : `${location.origin}/${server.project}/${each.region ?? 'us-central1'}/${each.name}`;
    return h('section', { class: 'panel card', 'aria-label': each.name },
      h('h2', {}, each.name, ' ', h('span', { class: 'type' }, kinds[each.kind] ?? each.kind)),
      h('p', { class: 'quiet mono' }, place),
      each.calls.length ? h('table', {}, h('thead', {}, h('tr', {}, ['Called', 'Took', 'Outcome'].map(name => h('th', { scope: 'col' }, name)))),
        h('tbody', {}, each.calls.map(call => h('tr', {}, h('td', { 'data-name': 'Called' }, time(call.time)),
          h('td', { 'data-name': 'Took', class: 'number' }, `${call.milliseconds < 10 ? call.milliseconds.toFixed(1) : Math.round(call.milliseconds)} ms`),
          h('td', { 'data-name': 'Outcome', class: call.error ? 'bad' : null }, call.error ?? 'succeeded')))))
        : h('p', { class: 'quiet' }, 'It hasn’t been called.'));
  }

  failures(failures) {
    return h('section', { class: 'panel card', 'aria-label': 'Failed events' }, h('h2', {}, 'Events that failed'),
      h('table', {}, h('thead', {}, h('tr', {}, ['Function', 'Subject', 'Time', 'Error', ''].map(name => h('th', { scope: 'col' }, name)))),
        h('tbody', {}, failures.map(event => h('tr', {}, h('td', { 'data-name': 'Function' }, event.function), h('td', { 'data-name': 'Subject' }, event.subject),
          h('td', { 'data-name': 'Time' }, time(event.time)), h('td', { 'data-name': 'Error', class: 'bad' }, `${event.error} (${event.attempts} attempts)`),
          h('td', {}, h('button', { type: 'button', 'data-event': event.id, click: action(async () => {
            await ask('functions/retry', { method: 'POST', body: { id: event.id } });
            await this.load();
          }) }, 'Try again')))))));
  }
}

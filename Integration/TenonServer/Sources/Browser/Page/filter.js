// The conditions and the order of a collection's documents.

import { fieldName } from './backend.js';
import { check, field, h, replace, select } from './elements.js';
import { parse } from './values.js';

const operators = [
  ['EQUAL', '= equal'], ['NOT_EQUAL', '≠ not equal'], ['LESS_THAN', '< less'],
  ['LESS_THAN_OR_EQUAL', '≤ less or equal'], ['GREATER_THAN', '> greater'],
  ['GREATER_THAN_OR_EQUAL', '≥ greater or equal'], ['ARRAY_CONTAINS', 'array contains'], ['IN', 'in'],
  ['ARRAY_CONTAINS_ANY', 'array contains any'], ['NOT_IN', 'not in'],
];
const lists = ['IN', 'NOT_IN', 'ARRAY_CONTAINS_ANY'];
const types = ['string', 'integer', 'double', 'boolean', 'timestamp', 'null', 'reference'];

/** The path of a field as it was typed: names with a dot between them. */
const fieldPath = text => text.split('.').map(part => fieldName(part)).join('.');

export class Filter {
  /** @param apply receives `{where, orderBy, allDescendants}`; `null` for all documents. */
  constructor(collectionID, apply) {
    this.apply = apply;
    this.rows = h('div', { class: 'conditions' });
    this.order = h('input', { type: 'text', placeholder: 'document ID', autocapitalize: 'off', spellcheck: 'false' });
    this.direction = select([['ASCENDING', 'ascending'], ['DESCENDING', 'descending']]);
    this.group = h('input', { type: 'checkbox' });
    this.problem = h('p', { class: 'problem', role: 'alert', hidden: true });
    this.element = h('details', { class: 'filter panel' },
      h('summary', {}, 'Filter and order'),
      h('form', { submit: event => this.submit(event) }, this.rows,
        h('button', { type: 'button', class: 'quiet-button', click: () => this.add(true) }, 'Add condition'),
        h('div', { class: 'line' }, field('Order by', this.order), field('Direction', this.direction)),
        check(`In all collections named ${collectionID}`, this.group), this.problem,
        h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'primary' }, 'Apply'),
          h('button', { type: 'button', click: () => this.clear() }, 'Clear'))));
    this.add(false);
  }

  add(isFocused) {
    const name = h('input', { type: 'text', autocapitalize: 'off', spellcheck: 'false', name: 'field' });
    const value = h('input', { type: 'text', autocapitalize: 'off', spellcheck: 'false', name: 'value' });
    const row = h('div', { class: 'line condition' }, field('Field', name),
      field('Condition', select(operators, 'EQUAL', { name: 'operator' })),
      field('Type', select(types, 'string', { name: 'type' })), field('Value', value),
      h('button', { type: 'button', class: 'quiet-button', click: () => row.remove(), 'aria-label': 'Remove condition' }, 'Remove'));
    this.rows.append(row);
    if (isFocused) name.focus();
  }

  clear() {
    replace(this.rows);
    this.add(false);
    this.order.value = '';
    this.group.checked = false;
    this.problem.hidden = true;
    this.apply(null);
  }

  submit(event) {
    event.preventDefault();
    try {
      this.problem.hidden = true;
      this.apply(this.query());
    } catch (error) {
      this.problem.textContent = error.message;
      this.problem.hidden = false;
    }
  }

  query() {
    const filters = [...this.rows.children].flatMap(row => {
      const [name, operator, type, value] = ['field', 'operator', 'type', 'value']
        .map(part => row.querySelector(`[name=${part}]`).value);
      if (name.trim() === '') return [];
      const parsed = lists.includes(operator)
        ? { arrayValue: { values: value.split(',').map(part => parse(type, part.trim())) } } : parse(type, value);
      return [{ fieldFilter: { field: { fieldPath: fieldPath(name.trim()) }, op: operator, value: parsed } }];
    });
    const order = this.order.value.trim();
    if (!filters.length && !order && !this.group.checked) return null;
    return {
      where: filters.length ? { compositeFilter: { op: 'AND', filters } } : undefined,
      orderBy: order ? [{ field: { fieldPath: fieldPath(order) }, direction: this.direction.value }] : undefined,
      allDescendants: this.group.checked,
    };
  }
}

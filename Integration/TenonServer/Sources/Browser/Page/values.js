// Firestore's values: as text, and as plain JSON in which `$timestamp`, `$double`, `$integer`, `$bytes`, `$point` and
// `$reference` stand for what JSON doesn't have.

import { Failure, nameOf, pathOf, server } from './backend.js';

export const types = {
  string: 'stringValue', integer: 'integerValue', double: 'doubleValue', boolean: 'booleanValue',
  timestamp: 'timestampValue', map: 'mapValue', array: 'arrayValue', null: 'nullValue', bytes: 'bytesValue',
  reference: 'referenceValue', point: 'geoPointValue',
};

const names = Object.fromEntries(Object.entries(types).map(([name, member]) => [member, name]));

/** The content of a value, without its type. */
export const contentOf = value => value[Object.keys(value)[0]];
export const typeOf = value => names[Object.keys(value)[0]] ?? 'unknown';
export const entriesOf = value => (typeOf(value) === 'map'
  ? Object.entries(value.mapValue.fields ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  : (value.arrayValue.values ?? []).map((element, index) => [index, element]));

/** A value that isn't a map or an array as text that can be edited. */
export function textOf(value) {
  const content = contentOf(value);
  switch (typeOf(value)) {
    case 'null': return 'null';
    case 'point': return `${content.latitude ?? 0}, ${content.longitude ?? 0}`;
    case 'reference': return pathOf(content);
    default: return String(content);
  }
}

/** A value in a few words. */
export function summaryOf(value, length = 120) {
  const content = contentOf(value);
  const type = typeOf(value);
  if (type === 'map') {
    const found = Object.keys(content.fields ?? {}).sort();
    return found.length ? `{ ${cut(found.join(', '), length)} }` : '{ }';
  }
  if (type === 'array') {
    const values = content.values ?? [];
    const shown = values.slice(0, 8).map(element => summaryOf(element, 30)).join(', ');
    return cut(values.length > 8 ? `[ ${shown}, … ${values.length} ]` : `[ ${shown} ]`, length + 20);
  }
  return cut(textOf(value), length);
}

const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** Reads a value that was typed. */
export function parse(type, text) {
  const trimmed = text.trim();
  switch (type) {
    case 'string': return { stringValue: text };
    case 'integer':
      if (!/^[+-]?\d+$/.test(trimmed) || BigInt(trimmed) !== BigInt.asIntN(64, BigInt(trimmed))) {
        throw new Failure(0, `${cut(trimmed, 40) || 'Nothing'} isn’t an integer of 64 bits, such as 42.`);
      }
      return { integerValue: BigInt(trimmed).toString() };
    case 'double': return { doubleValue: number(trimmed, 'a number, such as 1.5, NaN or Infinity') };
    case 'boolean': return { booleanValue: trimmed === 'true' };
    case 'null': return { nullValue: null };
    case 'timestamp':
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(trimmed)) {
        throw new Failure(0, `${cut(trimmed, 40) || 'Nothing'} isn’t a time, such as 2026-11-29T10:15:00Z.`);
      }
      return { timestampValue: trimmed };
    case 'bytes':
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(trimmed)) throw new Failure(0, 'Bytes are written in base64, such as AQI=.');
      return { bytesValue: trimmed };
    case 'reference':
      if (trimmed.split('/').length % 2 || trimmed.split('/').includes('')) {
        throw new Failure(0, 'A reference is the path of a document, such as notes/n1.');
      }
      return { referenceValue: nameOf(trimmed) };
    case 'point': {
      const parts = trimmed.split(',');
      if (parts.length !== 2) throw new Failure(0, 'A point is a latitude and a longitude, such as 52.5, 13.4.');
      const [latitude, longitude] = parts.map(part => number(part.trim(), 'a number of degrees'));
      return { geoPointValue: { latitude, longitude } };
    }
    case 'map': return { mapValue: { fields: {} } };
    case 'array': return { arrayValue: { values: [] } };
    default: throw new Failure(0, `Values of the type ${type} can’t be edited.`);
  }
}

const special = ['NaN', 'Infinity', '-Infinity'];

function number(text, what) {
  if (special.includes(text)) return text;
  if (text === '' || !Number.isFinite(Number(text))) {
    throw new Failure(0, `${cut(text, 40) || 'Nothing'} isn’t ${what}.`);
  }
  return Number(text);
}

// Plain JSON

export function plainFields(fields) {
  const entries = Object.entries(fields ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]));
}

function plain(value) {
  const content = contentOf(value);
  switch (typeOf(value)) {
    case 'string': case 'boolean': return content;
    case 'null': return null;
    case 'integer': return Number.isSafeInteger(Number(content)) ? Number(content) : { $integer: content };
    case 'double': return typeof content === 'string' || Number.isInteger(content) ? { $double: content } : content;
    case 'timestamp': return { $timestamp: content };
    case 'bytes': return { $bytes: content };
    case 'reference': return { $reference: content.startsWith(nameOf('')) ? pathOf(content) : content };
    case 'point': return { $point: [content.latitude ?? 0, content.longitude ?? 0] };
    case 'array': return (content.values ?? []).map(plain);
    default: {
      const json = plainFields(content.fields);
      const keys = Object.keys(json);
      // A map that looks like one of the forms.
      return keys.length === 1 && keys[0].startsWith('$') ? { $map: json } : json;
    }
  }
}

export const formatted = json => JSON.stringify(json, null, 2);

/** Reads fields in the form of `plainFields`. */
export function fieldsOf(json) {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) {
    throw new Failure(0, 'A document is a JSON object, such as {"title": "Tea"}.');
  }
  // A field may be named __proto__.
  const fields = Object.create(null);
  for (const [name, value] of Object.entries(json)) fields[name] = typed(value);
  return fields;
}

function typed(json) {
  if (json === null) return { nullValue: null };
  if (Array.isArray(json)) return { arrayValue: { values: json.map(typed) } };
  switch (typeof json) {
    case 'string': return { stringValue: json };
    case 'boolean': return { booleanValue: json };
    case 'number':
      if (!Number.isInteger(json)) return { doubleValue: json };
      if (!Number.isSafeInteger(json)) {
        throw new Failure(0, `${json} has more digits than JavaScript reads. Write {"$integer": "${json}"} or {"$double": ${json}}.`);
      }
      return { integerValue: String(json) };
  }
  const names = Object.keys(json);
  if (names.length === 1 && names[0].startsWith('$')) {
    const content = json[names[0]];
    switch (names[0]) {
      case '$timestamp': return parse('timestamp', String(content));
      case '$double': return parse('double', String(content));
      case '$integer': return parse('integer', String(content));
      case '$map': return { mapValue: { fields: fieldsOf(content) } };
      case '$bytes': return parse('bytes', String(content));
      case '$point': return parse('point', [].concat(content).join(','));
      case '$reference':
        return String(content).startsWith('projects/')
          ? { referenceValue: String(content) } : parse('reference', String(content));
    }
  }
  return { mapValue: { fields: fieldsOf(json) } };
}

/** Parses JSON, and says where a mistake is. */
export function parseJSON(text) {
  try { return JSON.parse(text); } catch (error) {
    const position = /position (\d+)/.exec(error.message);
    const before = position ? text.slice(0, Number(position[1])).split('\n') : null;
    const place = before ? ` (line ${before.length}, column ${before[before.length - 1].length + 1})` : '';
    throw new Failure(0, `This isn’t JSON${place}: ${error.message.split(' in JSON')[0]}.`);
  }
}

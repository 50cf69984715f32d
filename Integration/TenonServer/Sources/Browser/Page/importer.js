// The import of documents from a file: lines as `tenon store export` writes them, or one JSON object.

import { batchWrite, Failure, nameOf, pathOf } from './backend.js';
import { field, h, openDialog, say } from './elements.js';
import { fieldsOf, parseJSON } from './values.js';

/** The greatest number of documents, and of characters, of one request. */
const mostDocuments = 200;
const longestRequest = 4000000;

export function openImport(view) {
  const file = h('input', { type: 'file', accept: '.json,.jsonl,.ndjson,application/json' });
  const text = h('textarea', { rows: 8, class: 'code', spellcheck: 'false' });
  const progress = h('p', { class: 'quiet', role: 'status' });
  openDialog({
    title: 'Import documents', button: 'Import',
    content: [
      h('p', {}, 'An object with the paths of documents, such as {"notes/n1": {"title": "Tea"}}, or lines such as {"name": "notes/n1", "fields": {"title": {"stringValue": "Tea"}}}, as tenon store export writes them. Documents that exist are replaced.'),
      field('File', file), field('Or text', text), progress,
    ],
    submit: async () => {
      const documents = parseDocuments(file.files[0] ? await file.files[0].text() : text.value);
      const failures = [];
      let done = 0;
      for (const batch of batches(documents)) {
        let results;
        try { results = await batchWrite(batch.map(({ path, fields }) => ({ update: { name: nameOf(path), fields } }))); } catch (error) {
          throw done ? new Failure(0, `${done} documents were imported before this: ${error.message}`) : error;
        }
        results.forEach((failure, index) => { if (failure) failures.push(`${batch[index].path}: ${failure}`); });
        done += batch.length;
        progress.textContent = `${done} of ${documents.length}`;
      }
      await view.tree.load();
      for (const collection of new Set(documents.map(({ path }) => path.split('/').slice(0, -1).join('/')))) {
        await view.tree.refresh(collection);
      }
      if (failures.length) {
        throw new Failure(0, `${done - failures.length} documents were imported, ${failures.length} weren’t. ${failures.slice(0, 3).join(' ')}`);
      }
      say(`${done} documents were imported.`);
    },
  });
}

export function parseDocuments(text) {
  if (text.trim() === '') throw new Failure(0, 'Choose a file, or paste text.');
  const first = text.trimStart().split('\n', 1)[0];
  const documents = isLine(first) ? parseLines(text) : parseObject(text);
  for (const { path } of documents) {
    const parts = path.split('/');
    if (parts.length % 2 || parts.includes('')) throw new Failure(0, `${path.slice(0, 100)} isn’t the path of a document, such as notes/n1.`);
  }
  return documents;
}

function isLine(text) {
  try { return typeof JSON.parse(text).name === 'string'; } catch { return false; }
}

function parseLines(text) {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    let json;
    try { json = JSON.parse(line); } catch { throw new Failure(0, `Line ${index + 1} isn’t JSON.`); }
    if (typeof json.name !== 'string') throw new Failure(0, `Line ${index + 1} has no name.`);
    const path = json.name.startsWith('projects/') ? pathOf(json.name) : json.name;
    return [{ path, fields: json.fields ?? {} }];
  });
}

function parseObject(text) {
  const json = parseJSON(text);
  if (json === null || typeof json !== 'object' || Array.isArray(json)) {
    throw new Failure(0, 'This isn’t an object with the paths of documents.');
  }
  return Object.entries(json).map(([path, content]) => {
    try { return { path, fields: fieldsOf(content) }; } catch (error) { throw new Failure(0, `${path}: ${error.message}`); }
  });
}

function* batches(documents) {
  let batch = [];
  let length = 0;
  for (const document of documents) {
    const size = JSON.stringify(document.fields).length;
    if (batch.length === mostDocuments || (batch.length && length + size > longestRequest)) {
      yield batch;
      [batch, length] = [[], 0];
    }
    batch.push(document);
    length += size;
  }
  if (batch.length) yield batch;
}

// Requests to the server. The token of the address stays in this module, and goes to this server only.

const token = new URLSearchParams(location.search).get('token') ?? '';

export const server = { project: '', database: '(default)', databases: [], version: '', directory: null };

/** A response that isn't a success, or no response. */
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Sends a request to the data browser of the server, and returns the response. */
export async function send(path, { method = 'GET', body, content, type, signal } = {}) {
  const headers = { 'Tenon-Browser-Token': token };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (type) headers['Content-Type'] = type;
  let response;
  try {
    response = await fetch(`/-/${path}`, {
      method, headers, signal, body: body === undefined ? content : JSON.stringify(body), cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(0, 'The server doesn’t answer. If it was started again, open the new link that it printed.');
  }
  if (response.ok) return response;
  const text = await response.text();
  throw new Failure(response.status, response.status === 401
    ? 'The server was started again. Open the new link that it printed.' : message(text, response.status));
}

function message(text, status) {
  try {
    const json = JSON.parse(text);
    const error = (Array.isArray(json) ? json[0] : json).error;
    return error.message ?? error;
  } catch { return text.slice(0, 500) || `The server answered with status ${status}.`; }
}

/** Sends a request and returns the JSON of the response. */
export async function ask(path, options) {
  const text = await (await send(path, options)).text();
  return text ? JSON.parse(text) : null;
}

/** Sends a request to the backend as an administrator. */
export const backend = (path, options) => ask(`backend/${path}`, options);

export const post = (path, body, options) => backend(path, { method: 'POST', body, ...options });

// Documents

export const databaseName = () => `projects/${server.project}/databases/${server.database}`;
export const rootName = () => `${databaseName()}/documents`;
export const nameOf = path => (path ? `${rootName()}/${path}` : rootName());
export const pathOf = name => name.split('/').slice(5).join('/');
export const encoded = path => path.split('/').map(encodeURIComponent).join('/');

const root = () =>
  `v1/projects/${encodeURIComponent(server.project)}/databases/${encodeURIComponent(server.database)}/documents`;

/** The URL of a document, a collection, or the root for an empty path. */
export const documentURL = path => (path ? `${root()}/${encoded(path)}` : root());

export const parentOf = path => path.split('/').slice(0, -1).join('/');
export const idOf = path => path.slice(path.lastIndexOf('/') + 1);
export const isCollection = path => path.split('/').length % 2 === 1;

/** The name of a field in a path of fields, quoted if necessary. */
export const fieldName = name =>
  (/^[A-Za-z_][A-Za-z_0-9]*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``);

/** Returns a page of a collection: `{documents, nextPageToken}`. */
export async function listDocuments(collection, { pageSize, pageToken, fields = [], showMissing, signal }) {
  const query = new URLSearchParams({ pageSize });
  if (pageToken) query.set('pageToken', pageToken);
  if (showMissing) query.set('showMissing', 'true');
  for (const name of fields.length ? fields : ['__name__']) query.append('mask.fieldPaths', name);
  const page = await backend(`${documentURL(collection)}?${query}`, { signal });
  return { documents: page.documents ?? [], nextPageToken: page.nextPageToken ?? null };
}

/** Returns all IDs of the collections below a document, or of the root. */
export async function listCollections(path, signal) {
  const ids = [];
  let pageToken;
  do {
    const page = await post(`${documentURL(path)}:listCollectionIds`, { pageSize: 300, pageToken }, { signal });
    ids.push(...(page.collectionIds ?? []));
    pageToken = page.nextPageToken;
  } while (pageToken);
  return ids;
}

export async function runQuery(parent, structuredQuery, signal) {
  const lines = await post(`${documentURL(parent)}:runQuery`, { structuredQuery }, { signal });
  return lines.flatMap(line => (line.document ? [line.document] : []));
}

/** Returns the number of results, at most one more than a limit. */
export async function count(parent, structuredQuery, limit, signal) {
  const lines = await post(`${documentURL(parent)}:runAggregationQuery`, { structuredAggregationQuery: {
    structuredQuery, aggregations: [{ alias: 'count', count: { upTo: String(limit + 1) } }] } }, { signal });
  return Number(lines[0].result.aggregateFields.count.integerValue);
}

/** Writes documents, each for itself. Returns the errors by the number of the write. */
export async function batchWrite(writes) {
  const result = await post(`${root()}:batchWrite`, { writes });
  return (result.status ?? []).map(status => (status.code ? status.message || `code ${status.code}` : null));
}

/**
 * Deletes everything below a document or in a collection, and the document itself. Returns how many documents
 * there were.
 */
export async function deleteAll(path, progress) {
  const isOfDocument = !isCollection(path);
  const parent = isOfDocument ? path : parentOf(path);
  const query = { from: [{ allDescendants: true }], select: { fields: [{ fieldPath: '__name__' }] }, limit: 300 };
  if (!isOfDocument) {
    // The names of all documents in the collection and below are between these two.
    const bound = (id, op) => ({ fieldFilter: {
      field: { fieldPath: '__name__' }, op, value: { referenceValue: nameOf(id) } } });
    query.where = { compositeFilter: { op: 'AND', filters: [
      bound(`${path}/\0`, 'GREATER_THAN_OR_EQUAL'), bound(`${path}\0/\0`, 'LESS_THAN')] } };
  }
  let total = 0;
  for (;;) {
    const found = await runQuery(parent, query);
    if (!found.length) break;
    const failure = (await batchWrite(found.map(document => ({ delete: document.name })))).find(Boolean);
    if (failure) throw new Failure(0, failure);
    total += found.length;
    progress?.(total);
  }
  if (isOfDocument) {
    await backend(documentURL(path), { method: 'DELETE' });
    total += 1;
  }
  return total;
}

// Live

const states = { live: 'Live', connecting: 'Connecting', off: 'Not live' };

function showState(state) {
  const place = document.getElementById('live');
  place.dataset.state = state;
  document.getElementById('live-text').textContent = states[state];
}

/**
 * Calls a function with the paths of documents that have changed (`true` for many), until the signal is aborted.
 * The connection is closed while the page isn't visible, because a browser has few of them.
 */
export async function watch(targets, signal, changed) {
  let isFirst = true;
  while (!signal.aborted) {
    if (document.hidden) await visible(signal);
    if (signal.aborted) return;
    showState('connecting');
    const closing = new AbortController();
    const close = () => { if (document.hidden || signal.aborted) closing.abort(); };
    document.addEventListener('visibilitychange', close);
    signal.addEventListener('abort', close);
    try {
      const response = await send('changes', {
        method: 'POST', body: { database: databaseName(), targets }, signal: closing.signal });
      for await (const line of lines(response.body)) {
        const event = JSON.parse(line);
        if (event.current) {
          showState('live');
          // What has changed while there was no connection isn't told.
          if (!isFirst) changed(true);
          isFirst = false;
        }
        if (event.changed) changed(event.changed);
      }
    } catch {
      // Tried again below.
    } finally {
      document.removeEventListener('visibilitychange', close);
      signal.removeEventListener('abort', close);
    }
    if (signal.aborted) return;
    showState('off');
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
}

/** Says whether the view is live, or nothing for a view that never is. */
export function showLive(isShown, isLive = true) {
  document.getElementById('live').hidden = !isShown;
  showState(isLive ? 'live' : 'off');
}

function visible(signal) {
  return new Promise(resolve => {
    const end = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', end);
      resolve();
    };
    document.addEventListener('visibilitychange', end);
    signal.addEventListener('abort', end, { once: true });
  });
}

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n');
    rest = parts.pop();
    yield* parts.filter(Boolean);
  }
}

/** A model's weights: fetched once, then kept in this browser where it allows that. */

import { isWhole } from "./model.mjs";

const STORE = "course-models";

/**
 * Return the bytes of the weights: those that are kept, or fetched ones.
 *
 * @param {string} address of the file
 * @param {{bytes: number, sha256: string}} described what the file has to be
 * @param {function} report is called with the part that has come, from 0 to 1
 */
export async function weightsOf(address, described, report) {
  const key = `${address}?${described.sha256}`; // a new model has a new address
  const store = await allowed(() => caches.open(STORE));
  const kept = await allowed(async () => (await store?.match(key))?.arrayBuffer());
  if (kept && (await isWhole(kept, described))) return kept;
  const fetched = await fetchAll(key, described.bytes, report);
  if (!(await isWhole(fetched, described))) {
    throw new Error("The model's file is damaged (another checksum): load the page again.");
  }
  if (store) await allowed(() => keepOnly(store, address, key, fetched));
  return fetched;
}

/**
 * What the browser's store answers; undefined where it refuses. Over plain HTTP there is
 * none, it can be forbidden, or full: then the model is fetched each time, and works.
 */
async function allowed(task) {
  try {
    return await task();
  } catch {
    return undefined;
  }
}

/** Keep one version of a file; older ones go first, they only take room. */
async function keepOnly(store, address, key, bytes) {
  for (const request of await store.keys()) {
    if (request.url.startsWith(`${address}?`)) await store.delete(request);
  }
  await store.put(key, new Response(bytes));
}

export async function get(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`The model isn't there (${answer.status}): build the site anew.`);
  return answer;
}

/** Fetch a file of so many bytes, and report how much has come. */
async function fetchAll(address, bytes, report) {
  const reader = (await get(address)).body.getReader(); // not every browser iterates over it
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    parts.push(value);
    size += value.length;
    report(size / bytes);
  }
}

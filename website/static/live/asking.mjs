/** Start the worker; the function that comes back asks it and gives a promise. */
export function startWorker() {
  const worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  const waiting = new Map();
  worker.onmessage = ({ data: { id, answer, error, progress } }) => {
    const { resolve, reject, report } = waiting.get(id);
    if (progress !== undefined) return report?.(progress);
    waiting.delete(id);
    return error === undefined ? resolve(answer) : reject(new Error(error));
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Error("The model's program stopped: load the page again."));
    waiting.clear();
  };
  let last = 0;
  return (ask, request, report) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject, report });
      worker.postMessage({ id: last, ask, ...request });
    });
}

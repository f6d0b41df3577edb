/** Turn scores into weights that are positive and sum to 1. */
export function softmax(scores) {
  const largest = Math.max(...scores); // subtracted, so that no exponential overflows
  const raised = Float64Array.from(scores, (score) => Math.exp(score - largest));
  const sum = raised.reduce((a, b) => a + b, 0);
  return Float32Array.from(raised, (number) => number / sum);
}

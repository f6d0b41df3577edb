/** The learned positions of the shipped translator, rounded; by website/live_pages.py. */
const [WIDTH, STEP] = [$width, $step];
const ROUNDED = "$rounded";

/** One vector for each of the first $rows positions. */
export function learned() {
  const numbers = Array.from(atob(ROUNDED), (one) => STEP * ((one.charCodeAt(0) << 24) >> 24));
  return Array.from({ length: numbers.length / WIDTH }, (_, i) => numbers.slice(i * WIDTH, (i + 1) * WIDTH));
}

/**
 * Byte-pair encoding as in lesson 07: between texts and ids.
 *
 * A space belongs to the word after it and is written ▁. Ids 0 to 3 are padding, unknown,
 * start and end.
 */

export const [PAD, UNKNOWN, START, END] = [0, 1, 2, 3];

// A word with its apostrophe part, or one sign; each with the space before it.
const LETTER = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"; // what \w means in the original
const WORD = new RegExp(`▁?[${LETTER}]+(?:'[${LETTER}]+)?|▁?[^${LETTER}▁]`, "gu");

export class Tokenizer {
  /**
   * @param {string[]} vocabulary the pieces in the order of their ids
   * @param {[string, string][]} merges pairs of pieces, the earliest merge first
   */
  constructor(vocabulary, merges) {
    this.vocabulary = vocabulary;
    this.ids = new Map(vocabulary.map((piece, id) => [piece, id]));
    this.ranks = new Map(merges.map(([a, b], rank) => [`${a} ${b}`, rank]));
  }

  /** Cut a text at its words and signs: "I see." gives "▁I", "▁see", ".". */
  words(text) {
    const spaced = text.normalize("NFC").replace(/\p{White_Space}+/gu, " ").trim();
    if (!spaced) return [];
    const marked = `▁${spaced.replaceAll(" ", "▁")}`;
    const found = [];
    let end = 0;
    for (const match of marked.matchAll(WORD)) {
      // A ▁ of the text's own can stand between two matches.
      if (match.index > end) found.push(marked.slice(end, match.index));
      found.push(match[0]);
      end = match.index + match[0].length;
    }
    if (end < marked.length) found.push(marked.slice(end));
    return found;
  }

  /** Join the letters of a word, always the pair that was learned first. */
  pieces(word) {
    let parts = [...word];
    for (;;) {
      let best = Infinity;
      for (let i = 0; i + 1 < parts.length; i++) {
        best = Math.min(best, this.rank(parts, i));
      }
      if (best === Infinity) return parts;
      const joined = [];
      for (let i = 0; i < parts.length; i++) {
        const both = this.rank(parts, i) === best;
        joined.push(both ? parts[i] + parts[++i] : parts[i]);
      }
      parts = joined;
    }
  }

  rank(parts, i) {
    return this.ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
  }

  encode(text) {
    const pieces = this.words(text).flatMap((word) => this.pieces(word));
    return pieces.map((piece) => this.ids.get(piece) ?? UNKNOWN);
  }

  decode(ids) {
    const pieces = ids.filter((id) => id > END).map((id) => this.vocabulary[id]);
    return pieces.join("").replaceAll("▁", " ").replace(/^ /, "");
  }
}

// Where two texts agree and differ, word by word, and what stands elsewhere.
//
// Windows of words that come once in both texts, in the same order, are where they agree; what lies between is
// aligned by an exact search (Myers, from the package diff) within a bound. Stretches of few words that agree by
// chance inside a change are dropped, and what is left on both sides and the same for long enough has moved.
import { diffArrays } from 'diff';

export type Kind = 'same' | 'changed' | 'moved';

/** A word, with its place: `begin` and `end` in the line. */
interface Word {
  text: string;
  line: number;
  begin: number;
  end: number;
}

export interface Side {
  lines: string[];
  words: Word[];
  kinds: Kind[];
  /** The word of the other side, for what is the same or has moved; else -1. */
  partner: Int32Array;
}

export interface Comparison {
  a: Side;
  b: Side;
  /** Moved passages: first words on both sides, and how many. */
  moves: { a: number; b: number; length: number }[];
  exact: boolean;
}

const LEAST_MOVED = 8; // words, as `stemma diff` has it
const ANCHOR = 5; // words of a window; with fewer, phrases that everybody uses would be taken for places
const MOST_EDITS = 4000; // of one gap; the search takes their square
const MOST_SECONDS = 2; // of all gaps

// A character of a script without spaces is a word.
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[^\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/gu;

function wordsOf(lines: string[]): Word[] {
  const words: Word[] = [];
  lines.forEach((text, line) => {
    for (const found of text.matchAll(WORD)) {
      words.push({ text: found[0], line, begin: found.index, end: found.index + found[0].length });
    }
  });
  return words;
}

const makeSide = (lines: string[]): Side => {
  const words = wordsOf(lines);
  return { lines, words, kinds: words.map(() => 'changed'), partner: new Int32Array(words.length).fill(-1) };
};

/** A run of words that agree. */
interface Run {
  a: number;
  b: number;
  length: number;
}

const texts = (side: Side, from: number, to: number): string[] => side.words.slice(from, to).map((word) => word.text);

/** The words at a place as one text, which two places share only when they have the same words. */
const windowAt = (side: Side, at: number, length: number): string => texts(side, at, at + length).join(' ');

/** Where windows that come once stand. */
function uniqueWindows(side: Side): Map<string, number> {
  const places = new Map<string, number>();
  for (let i = 0; i + ANCHOR <= side.words.length; i++) {
    const text = windowAt(side, i, ANCHOR);
    places.set(text, places.has(text) ? -1 : i);
  }
  return places;
}

/** The longest list of pairs that rises on both sides; they come in the order of the one. */
export function longestRising(pairs: { a: number; b: number }[]): { a: number; b: number }[] {
  const tails: number[] = []; // by length, the pair that ends such a list with the least b
  const before = new Int32Array(pairs.length);
  pairs.forEach(({ b }, i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]].b < b) low = middle + 1;
      else high = middle;
    }
    before[i] = low ? tails[low - 1] : -1;
    tails[low] = i;
  });
  const rising = [];
  for (let i = tails.at(-1) ?? -1; i >= 0; i = before[i]) rising.push(pairs[i]);
  return rising.reverse();
}

/** Windows that come once in both texts, in the same order: there the texts agree. */
function anchors(a: Side, b: Side): { a: number; b: number }[] {
  const inB = uniqueWindows(b);
  const pairs = [];
  for (const [text, at] of uniqueWindows(a)) {
    const other = inB.get(text);
    if (at >= 0 && other !== undefined && other >= 0) pairs.push({ a: at, b: other });
  }
  return longestRising(pairs);
}

/** The words between two places that agree; nothing where the search for them would take too long. */
function matchGap(a: Side, b: Side, from: Run, to: Run, end: number): Run[] | undefined {
  let [atA, atB] = [from.a + from.length, from.b + from.length];
  if (atA === to.a || atB === to.b) return [];
  const timeout = Math.max(1, end - performance.now());
  const parts = diffArrays(texts(a, atA, to.a), texts(b, atB, to.b), { maxEditLength: MOST_EDITS, timeout });
  return parts?.flatMap(({ added, removed, value: { length } }) => {
    const run = added || removed ? [] : [{ a: atA, b: atB, length }];
    if (!added) atA += length;
    if (!removed) atB += length;
    return run;
  });
}

/** Runs in order that do not touch; `exact`: no gap was given up. */
function matchWords(a: Side, b: Side): { runs: Run[]; exact: boolean } {
  const runs: Run[] = [];
  const end = performance.now() + MOST_SECONDS * 1000;
  let exact = true;
  const add = (run: Run) => {
    const last = runs.at(-1);
    if (last && last.a + last.length === run.a && last.b + last.length === run.b) last.length += run.length;
    else runs.push({ ...run });
  };
  for (const anchor of [...anchors(a, b), { a: a.words.length, b: b.words.length }]) {
    const last = runs.at(-1) ?? { a: 0, b: 0, length: 0 };
    const lastA = last.a + last.length;
    const lastB = last.b + last.length;
    if (anchor.a < lastA || anchor.b < lastB) {
      // The window overlaps the one before: it adds its end where it stands in line with it.
      const known = lastA - anchor.a;
      if (lastB - anchor.b === known && known < ANCHOR) add({ a: lastA, b: lastB, length: ANCHOR - known });
      continue;
    }
    const length = anchor.a < a.words.length ? ANCHOR : 0;
    const gap = matchGap(a, b, last, { ...anchor, length }, end);
    gap?.forEach(add);
    if (!gap) exact = false;
    if (length) add({ ...anchor, length });
  }
  return { runs, exact };
}

const characters = (side: Side, from: number, to: number): number => {
  let sum = 0;
  for (let i = from; i < to; i++) sum += side.words[i].text.length;
  return sum;
};

/** Whether words are whole lines: a heading says more than as many words inside a sentence. */
const isLines = ({ words }: Side, at: number, length: number): boolean =>
  words[at - 1]?.line !== words[at].line && words[at + length]?.line !== words[at + length - 1].line;

/** Drops runs that are shorter than the changes on both sides of them: "the" in two unlike sentences. */
function withoutChance(runs: Run[], a: Side, b: Side): Run[] {
  const kept: Run[] = [];
  const gap = (before: Run | undefined, fromA: number, fromB: number): number =>
    Math.max(
      characters(a, before ? before.a + before.length : 0, fromA),
      characters(b, before ? before.b + before.length : 0, fromB),
    );
  runs.forEach((run, i) => {
    const next = runs[i + 1] ?? { a: a.words.length, b: b.words.length, length: 0 };
    const size = characters(a, run.a, run.a + run.length);
    const before = gap(kept.at(-1), run.a, run.b);
    const behind = gap(run, next.a, next.b);
    const lines = isLines(a, run.a, run.length) && isLines(b, run.b, run.length);
    if (lines || run.length >= LEAST_MOVED || size > before || size > behind) kept.push(run);
  });
  return kept;
}

function markSame(runs: Run[], a: Side, b: Side): void {
  for (const run of runs) {
    for (let i = 0; i < run.length; i++) {
      a.kinds[run.a + i] = b.kinds[run.b + i] = 'same';
      a.partner[run.a + i] = run.b + i;
      b.partner[run.b + i] = run.a + i;
    }
  }
}

const isFree = (side: Side, at: number): boolean => at < side.words.length && side.kinds[at] === 'changed';

function freeWindows(side: Side): number[] {
  const windows: number[] = [];
  let run = 0;
  for (let i = 0; i < side.words.length; i++) {
    run = isFree(side, i) ? run + 1 : 0;
    if (run >= LEAST_MOVED) windows.push(i - LEAST_MOVED + 1);
  }
  return windows;
}

function lengthAlike(a: Side, b: Side, atA: number, atB: number): number {
  let length = 0;
  while (isFree(a, atA + length) && isFree(b, atB + length) && a.words[atA + length].text === b.words[atB + length].text)
    length++;
  return length;
}

function findMoves(a: Side, b: Side): Run[] {
  const MOST_PLACES = 16; // of one window: a phrase that comes a thousand times has not moved
  const places = new Map<string, number[]>();
  for (const at of freeWindows(a)) {
    const text = windowAt(a, at, LEAST_MOVED);
    const list = places.get(text);
    if (!list) places.set(text, [at]);
    else if (list.length < MOST_PLACES) list.push(at);
  }
  const moves: Run[] = [];
  for (const at of freeWindows(b)) {
    if (!isFree(b, at)) continue;
    let best: Run = { a: 0, b: at, length: 0 };
    for (const place of places.get(windowAt(b, at, LEAST_MOVED)) ?? []) {
      const length = lengthAlike(a, b, place, at);
      if (length > best.length) best = { a: place, b: at, length };
    }
    if (best.length < LEAST_MOVED) continue;
    for (let i = 0; i < best.length; i++) {
      a.kinds[best.a + i] = b.kinds[at + i] = 'moved';
      a.partner[best.a + i] = at + i;
      b.partner[at + i] = best.a + i;
    }
    moves.push(best);
  }
  return moves;
}

export function compare(linesA: string[], linesB: string[]): Comparison {
  const a = makeSide(linesA);
  const b = makeSide(linesB);
  const { runs, exact } = matchWords(a, b);
  markSame(withoutChance(runs, a, b), a, b);
  return { a, b, moves: findMoves(a, b), exact };
}

const FOLDED_WORDS = 12; // in a line of folded text, which has none of its own

/** About the canonical form that the program compares, for a text whose counterpart is there only in this form. */
export function fold(lines: string[]): string[] {
  const words = lines.join(' ').normalize('NFC').toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const folded = [];
  for (let i = 0; i < words.length; i += FOLDED_WORDS) folded.push(words.slice(i, i + FOLDED_WORDS).join(' '));
  return folded;
}

// ---- rows: lines side by side ----

export interface Row {
  /** Lines; -1: nothing on this side. */
  a: number;
  b: number;
  same: boolean;
}

/** The line of the other side where the first word of each line that is the same stands; -1: nowhere. */
function lineLinks(side: Side, other: Side): Int32Array {
  const links = new Int32Array(side.lines.length).fill(-1);
  side.words.forEach((word, i) => {
    if (side.kinds[i] === 'same' && links[word.line] < 0) links[word.line] = other.words[side.partner[i]].line;
  });
  return links;
}

/** Lines with a word that is not the same on the other side. */
function differingLines(side: Side): Uint8Array {
  const differ = new Uint8Array(side.lines.length);
  side.words.forEach((word, i) => {
    if (side.kinds[i] !== 'same') differ[word.line] = 1;
  });
  return differ;
}

/** Lines that stand alone on the left and then on the right share rows. */
function zipLonely(rows: Row[]): Row[] {
  const zipped: Row[] = [];
  for (let i = 0; i < rows.length; ) {
    let left = i;
    while (left < rows.length && rows[left].b < 0) left++;
    let right = left;
    while (right < rows.length && rows[right].a < 0) right++;
    if (right === i) {
      zipped.push(rows[i++]);
      continue;
    }
    for (let k = 0; k < Math.max(left - i, right - left); k++) {
      const a = i + k < left ? rows[i + k] : undefined;
      const b = left + k < right ? rows[left + k] : undefined;
      zipped.push({ a: a?.a ?? -1, b: b?.b ?? -1, same: (a?.same ?? true) && (b?.same ?? true) });
    }
    i = right;
  }
  return zipped;
}

export function rowsOf({ a, b }: Comparison): Row[] {
  const linksA = lineLinks(a, b);
  const linksB = lineLinks(b, a);
  const differA = differingLines(a);
  const differB = differingLines(b);
  const rows: Row[] = [];
  let i = 0;
  let j = 0;
  while (i < a.lines.length || j < b.lines.length) {
    const blanks = i < a.lines.length && j < b.lines.length && !a.lines[i].trim() && !b.lines[j].trim();
    const linked = i < a.lines.length && j < b.lines.length && (linksA[i] === j || linksB[j] === i);
    if (blanks || linked) {
      rows.push({ a: i, b: j, same: blanks || (!differA[i] && !differB[j] && linksA[i] === j && linksB[j] === i) });
      i++;
      j++;
    } else if (i < a.lines.length && (j >= b.lines.length || linksA[i] < j)) {
      rows.push({ a: i, b: -1, same: !differA[i] });
      i++;
    } else {
      rows.push({ a: -1, b: j, same: !differB[j] });
      j++;
    }
  }
  return zipLonely(rows);
}

/** What a line consists of: pieces of one kind, with the number of the move, the spaces between words included. */
export interface Piece {
  text: string;
  kind: Kind;
  move?: number;
}

/** The pieces of every line of a side. */
export function piecesOf(side: Side, moves: Comparison['moves'], which: 'a' | 'b'): Piece[][] {
  const moveOf = new Int32Array(side.words.length).fill(-1);
  moves.forEach((move, number) => moveOf.fill(number, move[which], move[which] + move.length));
  const pieces: Piece[][] = side.lines.map(() => []);
  const ends = new Int32Array(side.lines.length);
  side.words.forEach((word, i) => {
    const line = pieces[word.line];
    const text = side.lines[word.line];
    const last = line.at(-1);
    const move = moveOf[i] < 0 ? undefined : moveOf[i];
    const between = text.slice(ends[word.line], word.begin);
    ends[word.line] = word.end;
    if (last && last.kind === side.kinds[i] && last.move === move) {
      last.text += between + word.text;
      return;
    }
    if (between) line.push({ text: between, kind: 'same' });
    line.push({ text: word.text, kind: side.kinds[i], move });
  });
  side.lines.forEach((text, line) => {
    if (ends[line] < text.length) pieces[line].push({ text: text.slice(ends[line]), kind: 'same' });
  });
  return pieces;
}

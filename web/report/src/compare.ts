// Where two texts agree and differ, word by word, and what stands elsewhere.
//
// Words are aligned by an exact search (Myers, from the package diff) within a bound; texts that are too far
// apart for it are aligned by lines first. Stretches of few words that agree by chance inside a change are
// dropped, and what is left on both sides and the same for long enough has moved.
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
const MOST_EDITS = 4000; // the search takes their square
const MOST_SECONDS = 2;

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

type Edit = { count: number; kind: 'same' | 'removed' | 'added' };

const edits = <T>(a: T[], b: T[]): Edit[] | undefined =>
  diffArrays(a, b, { maxEditLength: MOST_EDITS, timeout: MOST_SECONDS * 1000 })?.map((part) => ({
    count: part.count ?? part.value.length,
    kind: part.added ? 'added' : part.removed ? 'removed' : 'same',
  }));

/** A run of words that agree. */
interface Run {
  a: number;
  b: number;
  length: number;
}

function runsOf(list: Edit[], a: number, b: number): Run[] {
  const runs: Run[] = [];
  for (const { count, kind } of list) {
    if (kind === 'same') runs.push({ a, b, length: count });
    if (kind !== 'added') a += count;
    if (kind !== 'removed') b += count;
  }
  return runs;
}

function matchWords(a: string[], b: string[], fromA: number, fromB: number): Run[] | undefined {
  const list = edits(a, b);
  return list && runsOf(list, fromA, fromB);
}

/** The first word of each line, and one behind the last. */
function lineStarts(side: Side): number[] {
  const starts: number[] = new Array(side.lines.length + 1).fill(side.words.length);
  for (let i = side.words.length - 1; i >= 0; i--) starts[side.words[i].line] = i;
  for (let line = side.lines.length - 1; line >= 0; line--) starts[line] = Math.min(starts[line], starts[line + 1]);
  return starts;
}

/** By lines, then by the words of what lies between lines that agree. */
function matchLines(a: Side, b: Side): Run[] {
  const startsA = lineStarts(a);
  const startsB = lineStarts(b);
  const lines = runsOf(edits(a.lines, b.lines) ?? [], 0, 0);
  const runs: Run[] = [];
  let doneA = 0;
  let doneB = 0;
  for (const run of [...lines, { a: a.lines.length, b: b.lines.length, length: 0 }]) {
    const texts = [a.words.slice(doneA, startsA[run.a]), b.words.slice(doneB, startsB[run.b])];
    const [left, right] = texts.map((words) => words.map((word) => word.text));
    if (left.length && right.length) runs.push(...(matchWords(left, right, doneA, doneB) ?? []));
    const length = startsA[run.a + run.length] - startsA[run.a];
    if (length) runs.push({ a: startsA[run.a], b: startsB[run.b], length });
    doneA = startsA[run.a + run.length];
    doneB = startsB[run.b + run.length];
  }
  return runs;
}

const characters = (side: Side, from: number, to: number): number => {
  let sum = 0;
  for (let i = from; i < to; i++) sum += side.words[i].text.length;
  return sum;
};

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
    if (run.length >= LEAST_MOVED || size > before || size > behind) kept.push(run);
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

const key = (side: Side, at: number): string => {
  let text = '';
  for (let i = 0; i < LEAST_MOVED; i++) text += `${side.words[at + i].text} `;
  return text;
};

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
    const text = key(a, at);
    const list = places.get(text);
    if (!list) places.set(text, [at]);
    else if (list.length < MOST_PLACES) list.push(at);
  }
  const moves: Run[] = [];
  for (const at of freeWindows(b)) {
    if (!isFree(b, at)) continue;
    let best: Run = { a: 0, b: at, length: 0 };
    for (const place of places.get(key(b, at)) ?? []) {
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
  const [left, right] = [a, b].map((side) => side.words.map((word) => word.text));
  const found = matchWords(left, right, 0, 0);
  markSame(withoutChance(found ?? matchLines(a, b), a, b), a, b);
  return { a, b, moves: findMoves(a, b), exact: found !== undefined };
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

// The comparison against what must hold of any: random texts, edited at random.
import assert from 'node:assert/strict';
import test from 'node:test';
import { compare, longestRising, piecesOf, rowsOf } from '../dist/test/compare.js';

/** Numbers that look random, the same every time. */
function random(seed) {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const wordsOf = (lines) => lines.join('\n').split(/\s+/).filter(Boolean);

function randomText(draw, words, kinds) {
  const lines = [];
  for (let left = words; left > 0; ) {
    const length = Math.min(left, draw(12));
    lines.push(Array.from({ length }, () => `w${draw(kinds)}`).join(' '.repeat(1 + draw(2))));
    left -= length;
  }
  return lines;
}

function edit(draw, lines, kinds) {
  const edited = [...lines];
  for (let i = draw(6); i > 0; i--) {
    const at = draw(edited.length + 1);
    if (draw(3) === 0) edited.splice(at, draw(4));
    else if (draw(2)) edited.splice(at, 0, ...randomText(draw, draw(30), kinds));
    else edited.splice(draw(edited.length + 1), 0, ...edited.splice(at, draw(8)));
  }
  return edited;
}

test('what is the same is the same, in order; nothing is lost; moves are true', () => {
  for (let seed = 0; seed < 400; seed++) {
    const draw = random(seed);
    const kinds = [3, 50, 5000][seed % 3];
    const left = randomText(draw, draw(300), kinds);
    const right = edit(draw, left, kinds);
    const comparison = compare(left, right);
    const { a, b, moves } = comparison;
    assert.deepEqual(a.words.map((word) => word.text), wordsOf(left));
    assert.deepEqual(b.words.map((word) => word.text), wordsOf(right));
    let last = -1;
    a.kinds.forEach((kind, i) => {
      if (kind === 'changed') return assert.equal(a.partner[i], -1);
      const other = a.partner[i];
      assert.equal(a.words[i].text, b.words[other].text);
      assert.equal(b.kinds[other], kind);
      assert.equal(b.partner[other], i);
      if (kind === 'same') assert.ok(other > last, 'in order');
      if (kind === 'same') last = other;
    });
    for (const move of moves) {
      assert.ok(move.length >= 8);
      assert.deepEqual(
        a.words.slice(move.a, move.a + move.length).map((word) => word.text),
        b.words.slice(move.b, move.b + move.length).map((word) => word.text),
      );
    }
    for (const [side, which] of [[a, 'a'], [b, 'b']]) {
      const pieces = piecesOf(side, moves, which);
      assert.deepEqual(pieces.map((line) => line.map((piece) => piece.text).join('')), side.lines);
      const rows = rowsOf(comparison).map((row) => row[which]).filter((line) => line >= 0);
      assert.deepEqual(rows, side.lines.map((_, line) => line), 'every line stands in one row, in order');
    }
  }
});

test('the same text has no difference, another nothing in common', () => {
  const text = randomText(random(7), 500, 1000);
  const same = compare(text, text);
  assert.ok(same.exact && same.a.kinds.every((kind) => kind === 'same'));
  assert.ok(rowsOf(same).every((row) => row.same));
  const none = compare(['one two three'], ['four five six']);
  assert.ok(none.a.kinds.every((kind) => kind === 'changed'));
  assert.deepEqual(rowsOf(compare([], ['x'])), [{ a: -1, b: 0, same: false }]);
});

test('text that was only wrapped otherwise does not differ', () => {
  const words = wordsOf(randomText(random(8), 400, 1000));
  const wrap = (width) => words.join(' ').match(new RegExp(`.{1,${width}}(?: |$)`, 'g')).map((line) => line.trim());
  const { a, b } = compare(wrap(40), wrap(66));
  assert.ok([...a.kinds, ...b.kinds].every((kind) => kind === 'same'));
});

test('a paragraph that moved is one move, and the rest is the same', () => {
  const paragraphs = Array.from({ length: 6 }, (_, i) => randomText(random(20 + i), 60, 5000).join(' '));
  const moved = [...paragraphs.slice(0, 1), ...paragraphs.slice(2, 5), paragraphs[1], paragraphs[5]];
  const { a, moves } = compare(paragraphs, moved);
  assert.equal(moves.length, 1);
  assert.equal(moves[0].length, 60);
  assert.equal(a.kinds.filter((kind) => kind === 'changed').length, 0);
});

test('texts that are far apart are compared in bounded time', () => {
  const { exact } = compare(randomText(random(1), 20000, 40000), randomText(random(2), 20000, 40000));
  assert.equal(exact, false);
});

test('the longest rising list, against the obvious way', () => {
  for (let seed = 0; seed < 200; seed++) {
    const draw = random(seed);
    const order = Array.from({ length: draw(12) }, (_, i) => i);
    order.sort(() => draw(3) - 1);
    const pairs = order.map((b, a) => ({ a, b }));
    const best = pairs.map(() => 1);
    pairs.forEach((p, i) => pairs.slice(0, i).forEach((q, k) => q.b < p.b && (best[i] = Math.max(best[i], best[k] + 1))));
    const found = longestRising(pairs);
    assert.equal(found.length, Math.max(0, ...best));
    assert.ok(found.every((p, i) => i === 0 || (found[i - 1].a < p.a && found[i - 1].b < p.b)));
  }
});

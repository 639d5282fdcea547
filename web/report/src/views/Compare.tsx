import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { diffCommand } from '../command';
import { compare, fold, piecesOf, rowsOf, type Piece, type Row } from '../compare';
import { loadTexts, type Text } from '../data';
import { plural, safeText, shownName } from '../format';
import { useLoaded } from '../hooks';
import { isAnotherForm, type Group, type Report } from '../model';
import { Copy, Relation, Section, useFirst } from './parts';
import { Neighbours } from './GroupView';

const CONTEXT = 3; // lines shown around a difference
const MOST_CHOICES = 2000;

function Choice({ group, value, label, onChange }: { group: Group; value: number; label: string; onChange: (place: number) => void }) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {group.documents.slice(0, MOST_CHOICES).map((document, place) => (
          <option key={place} value={place}>
            {shownName(document.id)}
            {place === 0 ? ' (kept)' : ''}
          </option>
        ))}
      </select>
    </label>
  );
}

function Pieces({ pieces, side, jump }: { pieces: Piece[]; side: 'a' | 'b'; jump: (side: 'a' | 'b', move: number) => void }) {
  return (
    <>
      {pieces.map((piece, i) => {
        const text = safeText(piece.text);
        if (piece.kind === 'same') return text;
        if (piece.kind === 'changed') return side === 'a' ? <del key={i}>{text}</del> : <ins key={i}>{text}</ins>;
        return (
          <a
            key={i}
            class="moved"
            href={location.hash}
            data-move={`${side}-${piece.move}`}
            title="Moved: show it on the other side"
            onClick={(event) => {
              event.preventDefault();
              jump(side === 'a' ? 'b' : 'a', piece.move!);
            }}
          >
            <span class="unseen">moved: </span>
            {text}
          </a>
        );
      })}
    </>
  );
}

interface Stretch {
  from: number;
  to: number;
  folded: boolean;
}

/** Rows that are the same and far from a difference are folded. */
function stretchesOf(rows: Row[]): Stretch[] {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, i) => {
    if (!row.same) near.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
  });
  const stretches: Stretch[] = [];
  for (let from = 0; from < rows.length; ) {
    let to = from;
    while (to < rows.length && near[to] === near[from]) to++;
    stretches.push({ from, to, folded: !near[from] && to - from > 1 });
    from = to;
  }
  return stretches;
}

const lineId = (row: number): string => `row-${row}`;

interface LineProps {
  row: Row;
  number: number;
  a: Piece[][];
  b: Piece[][];
  jump: (side: 'a' | 'b', move: number) => void;
}

function Line({ row, number, a, b, jump }: LineProps) {
  const cell = (side: 'a' | 'b', line: number, pieces: Piece[][]) => (
    <div role="cell" class={`side ${side}${line < 0 ? ' none' : ''}`}>
      {line >= 0 && (
        <>
          <span class="line-number" aria-hidden="true">
            {line + 1}
          </span>
          <span class="text" dir="auto">
            <Pieces pieces={pieces[line]} side={side} jump={jump} />
          </span>
        </>
      )}
    </div>
  );
  return (
    <div role="row" id={lineId(number)} class={row.same ? 'line' : 'line differs'} tabIndex={row.same ? undefined : -1}>
      {cell('a', row.a, a)}
      {cell('b', row.b, b)}
    </div>
  );
}

function SideBySide({ left, right, names }: { left: string[]; right: string[]; names: [string, string] }) {
  const comparison = useMemo(() => compare(left, right), [left, right]);
  const rows = useMemo(() => rowsOf(comparison), [comparison]);
  const a = useMemo(() => piecesOf(comparison.a, comparison.moves, 'a'), [comparison]);
  const b = useMemo(() => piecesOf(comparison.b, comparison.moves, 'b'), [comparison]);
  const [unfolded, setUnfolded] = useState(new Set<number>());
  const [whole, setWhole] = useState(false);
  useEffect(() => setUnfolded(new Set()), [comparison]);
  const stretches = useMemo(() => stretchesOf(rows), [rows]);
  /** What is in the page: rows, and folds, which count as one. */
  const parts = useMemo(
    () =>
      stretches.flatMap((stretch) => {
        const { from, to, folded } = stretch;
        if (folded && !whole && !unfolded.has(from)) return [stretch];
        return Array.from({ length: to - from }, (_, i) => ({ from: from + i, to: from + i + 1, folded: false }));
      }),
    [stretches, whole, unfolded],
  );
  const [shown, more, showLeast] = useFirst(parts.length, 3000);

  /** What is gone to, once its row is in the page. */
  const [goal, setGoal] = useState<{ row: number; move?: string }>();
  useLayoutEffect(() => {
    const line = goal && document.getElementById(lineId(goal.row));
    const element = goal?.move ? line?.querySelector<HTMLElement>(`[data-move="${goal.move}"]`) : line;
    element?.scrollIntoView({ block: 'center' });
    element?.focus({ preventScroll: true });
  }, [goal]);
  const goTo = (row: number, move?: string) => {
    showLeast(parts.findIndex((part) => part.from === row) + 1);
    setGoal({ row, move });
  };
  const jump = (side: 'a' | 'b', move: number) => {
    const { line } = comparison[side].words[comparison.moves[move][side]];
    goTo(rows.findIndex((row) => row[side] === line), `${side}-${move}`);
  };
  /** A difference is a row that differs behind one that does not. */
  const starts = useMemo(() => rows.flatMap((row, i) => (!row.same && (rows[i - 1]?.same ?? true) ? [i] : [])), [rows]);
  /** From where one went last, as long as it is in sight; else from the middle of the screen. */
  const goOn = (step: 1 | -1) => {
    const middleOf = (row: number): number | undefined => {
      const place = document.getElementById(lineId(row))?.getBoundingClientRect();
      return place && (place.top + place.bottom) / 2;
    };
    const last = goal && middleOf(goal.row);
    const known = last !== undefined && last > 0 && last < innerHeight;
    const distance = (row: number): number => (known ? row - goal!.row : (middleOf(row) ?? Infinity) - innerHeight / 2);
    const next = step > 0 ? starts.find((row) => distance(row) > 0) : starts.findLast((row) => distance(row) < 0);
    if (next !== undefined) goTo(next);
  };

  const counts = [
    [comparison.a.kinds.filter((kind) => kind === 'same').length, 'same'],
    [comparison.a.kinds.filter((kind) => kind === 'changed').length, 'only on the left'],
    [comparison.b.kinds.filter((kind) => kind === 'changed').length, 'only on the right'],
    [comparison.a.kinds.filter((kind) => kind === 'moved').length, `moved, in ${plural(comparison.moves.length, 'passage')}`],
  ] as const;
  return (
    <>
      <ul class="legend">
        {counts.map(
          ([value, words], i) =>
            (value > 0 || i === 0) && (
              <li key={words} class={['same', 'del', 'ins', 'moved'][i]}>
                {plural(value, 'word')} {words}
              </li>
            ),
        )}
      </ul>
      {!comparison.exact && <p class="notice">Parts of the texts are too far apart to be compared word by word here; they are shown as different as a whole.</p>}
      <div class="tools">
        <button type="button" onClick={() => goOn(-1)}>
          ↑ Previous<span class="unseen"> difference</span>
        </button>
        <button type="button" onClick={() => goOn(1)}>
          ↓ Next<span class="unseen"> difference</span>
        </button>
        <label>
          <input type="checkbox" checked={whole} onChange={(event) => setWhole(event.currentTarget.checked)} /> Whole texts
        </label>
      </div>
      <div class="compared" role="table" aria-label="Both texts side by side">
        <div role="row" class="line heads">
          <div role="columnheader" class="side">
            <bdi>{names[0]}</bdi>
          </div>
          <div role="columnheader" class="side">
            <bdi>{names[1]}</bdi>
          </div>
        </div>
        {parts.slice(0, shown).map(({ from, to, folded }) =>
          folded ? (
            <div role="row" class="folded" key={`fold-${from}`}>
              <div role="cell">
                <button type="button" onClick={() => setUnfolded(new Set([...unfolded, from]))}>
                  {plural(to - from, 'line')} the same
                </button>
              </div>
            </div>
          ) : (
            <Line key={from} row={rows[from]} number={from} a={a} b={b} jump={jump} />
          ),
        )}
      </div>
      {more}
    </>
  );
}

export function Compare({ report, group, left, right }: { report: Report; group: Group; left: number; right: number }) {
  const texts = useLoaded(() => loadTexts(group.index), [group.index]);
  const [a, b] = [left, right].map((place) => group.documents[place]);
  const go = (toLeft: number, toRight: number) => {
    location.replace(`#/group/${group.group}/compare/${toLeft}/${toRight}`);
  };
  const pair = useMemo(() => {
    const [textA, textB] = [texts.value?.[left], texts.value?.[right]];
    if (!textA || !textB) return undefined;
    const folded = textA.folded || textB.folded;
    const lines = (text: Text): string[] => (folded ? fold(text.lines) : text.lines);
    return { folded, left: lines(textA), right: lines(textB) };
  }, [texts.value, left, right]);
  const missing = texts.value && !pair;
  const command = diffCommand(report, a, b);
  const member = left === 0 ? b : right === 0 ? a : undefined;
  return (
    <>
      <Neighbours report={report} group={group} />
      <h1 tabIndex={-1}>
        Comparison <span class="faint">in <a href={`#/group/${group.group}`}>group {group.group}</a></span>
      </h1>
      <div class="choices">
        <Choice group={group} value={left} label="Left" onChange={(place) => go(place, right)} />
        <button type="button" onClick={() => go(right, left)} aria-label="Swap left and right" title="Swap left and right">
          ⇄
        </button>
        <Choice group={group} value={right} label="Right" onChange={(place) => go(left, place)} />
      </div>
      {member?.relation && (
        <p>
          <Relation
            name={member.relation}
            share={member.relation === 'contained' ? member.contained : member.resemblance}
            anotherForm={isAnotherForm(group, member)}
          />
        </p>
      )}
      {member?.relation === 'same-text' && !pair?.folded && (
        <p class="faint">The text is the same: what differs below, such as case, punctuation or space, does not count as text.</p>
      )}
      <Section title="Differences" id="differences">
        {texts.error && <p class="notice">The texts cannot be unpacked: {texts.error.message}</p>}
        {!texts.value && !texts.error && <p class="faint">Unpacking…</p>}
        {missing && (
          <p class="notice">
            {report.head.text_budget === 0
              ? 'This report was made without texts (--report-text=0).'
              : 'The text of one of them is not in this page: it is not text, larger than 1 MB, or beyond what --report-text allows.'}
            {command && ' On the machine that has the documents, this shows the differences:'}
          </p>
        )}
        {pair?.folded && (
          <p class="notice">
            At least one of them stands in an archive or a compressed data set, of which the page has the text as it was compared: without
            case and punctuation. Both are shown so.
          </p>
        )}
        {pair && (
          <SideBySide key={`${group.index} ${left} ${right}`} left={pair.left} right={pair.right} names={[shownName(a.id), shownName(b.id)]} />
        )}
        {command && <Copy text={command} />}
      </Section>
    </>
  );
}

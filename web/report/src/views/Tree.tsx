// The family tree: lines drawn behind a list, so that it is as wide as its names and can be read as text.
import { useMemo } from 'preact/hooks';
import { count, percent, shownName } from '../format';
import { useMedia } from '../hooks';
import { commonFolder, type Group } from '../model';
import { treeRows, type Node } from '../tree';
import { Name, useFirst } from './parts';

/** CSS pixels; deepest: further right nothing moves any more. */
interface Layout {
  indent: number;
  row: number;
  deepest: number;
}
const WIDE: Layout = { indent: 22, row: 30, deepest: 24 };
/** What became of the parent stands below the name, and a finger finds both. */
const NARROW: Layout = { indent: 14, row: 50, deepest: 8 };
const ARC = 44; // how far second edges reach to the left

const placeOf = ({ indent, row: height, deepest }: Layout) => ({
  x: (node: Node): number => Math.min(node.depth, deepest) * indent,
  y: (row: number): number => row * height + height / 2,
});
type Place = ReturnType<typeof placeOf>;

/** From the parent down and then to the right. */
function Edge({ rows, row, place: { x, y } }: { rows: Node[]; row: number; place: Place }) {
  const from = rows[rows[row].parent];
  const bend = Math.min(8, x(rows[row]) - x(from));
  return (
    <path
      class="edge"
      d={`M${x(from)} ${y(rows[row].parent)} V${y(row) - bend} q0 ${bend} ${bend} ${bend} H${x(rows[row])}`}
    />
  );
}

/** From the second parent, in an arc on the left, where no names stand. */
function SecondEdge({ rows, row, place: { x, y } }: { rows: Node[]; row: number; place: Place }) {
  const from = rows[rows[row].second];
  const [x1, y1, x2, y2] = [x(from), y(rows[row].second), x(rows[row]), y(row)];
  const reach = Math.min(ARC, 14 + Math.abs(y2 - y1) / 6);
  return <path class="edge second" d={`M${x1} ${y1} C${x1 - reach} ${y1}, ${x2 - reach} ${y2}, ${x2} ${y2}`} />;
}

/** What became of the parent. */
function Way({ group, node, rows }: { group: Group; node: Node; rows: Node[] }) {
  if (node.parent < 0) return null;
  const { derivation, added, removed, moved, confidence, direction = 1 } = group.documents[node.document];
  const copy = derivation === 'same';
  const words = [copy ? 'same' : derivation && derivation !== 'root' ? derivation : ''];
  if (added) words.push(`+${count(added)}`);
  if (removed) words.push(`−${count(removed)}`);
  if (moved) words.push(`${count(moved)} moved`);
  if (confidence !== undefined && !copy) words.push(`${percent(confidence * direction)} sure`);
  return (
    <span class="way">
      <span class="unseen">made from {shownName(group.documents[rows[node.parent].document].id)}: </span>
      {words.filter(Boolean).join(' · ')}
      {node.second >= 0 && (
        <span class="unseen">, with text of {shownName(group.documents[rows[node.second].document].id)}</span>
      )}
    </span>
  );
}

export function Tree({ group }: { group: Group }) {
  const all = useMemo(() => treeRows(group), [group]);
  const folder = useMemo(() => commonFolder(group.documents.map((document) => document.id)), [group]);
  const layout = useMedia('(max-width: 46rem)') ? NARROW : WIDE;
  const place = useMemo(() => placeOf(layout), [layout]);
  const { x, y } = place;
  const [shown, more] = useFirst(all.length, 100);
  const rows = all.slice(0, shown);
  const inSight = (row: number): boolean => row >= 0 && row < shown;
  const left = all.some((node) => node.second >= 0) ? ARC : 10;
  const width = left + 10 + Math.max(...rows.map(x));
  return (
    <>
      <div class="tree">
        <svg viewBox={`${-left} 0 ${width} ${rows.length * layout.row}`} width={width} height={rows.length * layout.row} aria-hidden="true">
          {rows.map((node, row) => node.parent >= 0 && <Edge key={row} rows={rows} row={row} place={place} />)}
          {rows.map((node, row) => inSight(node.second) && <SecondEdge key={row} rows={rows} row={row} place={place} />)}
          {rows.map((node, row) => (
            <circle key={row} class={node.document === 0 ? 'node kept' : 'node'} cx={x(node)} cy={y(row)} r="5" />
          ))}
        </svg>
        <ol>
          {rows.map((node) => (
            <li key={node.document} style={{ paddingLeft: `${left + x(node) + 14}px`, height: `${layout.row}px` }}>
              {node.parent >= 0 ? (
                <a href={`#/group/${group.group}/compare/${rows[node.parent].document}/${node.document}`}>
                  <Name of={group.documents[node.document]} below={folder} short />
                </a>
              ) : (
                <Name of={group.documents[node.document]} below={folder} short />
              )}
              <Way group={group} node={node} rows={rows} />
            </li>
          ))}
        </ol>
      </div>
      {more}
      <p class="faint legend-line">
        Each document below the one it was made from, with the words added and removed, and how sure it is that it
        was made from this one; the filled dot is kept
        {all.some((node) => node.second >= 0) && '; a dashed line: text was taken from there, too'}. A name leads to the
        comparison with what it was made from.
      </p>
    </>
  );
}

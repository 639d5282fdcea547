// The family tree: lines drawn behind a list, so that it is as wide as its names and can be read as text.
import { useMemo } from 'preact/hooks';
import { percent, plural, safeName } from '../format';
import { commonFolder, type Group } from '../model';
import { treeRows, type Node } from '../tree';
import { Name, useFirst } from './parts';

const INDENT = 22;
const ROW = 30;
const DEEPEST = 24; // further right nothing moves any more

const x = (node: Node): number => 10 + Math.min(node.depth, DEEPEST) * INDENT;
const y = (row: number): number => row * ROW + ROW / 2;

/** From the parent down and then to the right. */
function Edge({ rows, row }: { rows: Node[]; row: number }) {
  const from = rows[rows[row].parent];
  const bend = Math.min(8, x(rows[row]) - x(from));
  return (
    <path
      class="edge"
      d={`M${x(from)} ${y(rows[row].parent)} V${y(row) - bend} q0 ${bend} ${bend} ${bend} H${x(rows[row])}`}
    />
  );
}

/** From the second parent, in an arc on the left, so that it crosses few others. */
function SecondEdge({ rows, row }: { rows: Node[]; row: number }) {
  const from = rows[rows[row].second];
  const [x1, y1, x2, y2] = [x(from), y(rows[row].second), x(rows[row]), y(row)];
  const reach = 14 + Math.min(40, Math.abs(y2 - y1) / 6);
  return <path class="edge second" d={`M${x1} ${y1} C${x1 + reach} ${y1}, ${x2 + reach} ${y2}, ${x2} ${y2}`} />;
}

function Way({ group, node, rows }: { group: Group; node: Node; rows: Node[] }) {
  const document = group.documents[node.document];
  const words = [document.kind && document.kind !== 'root' ? document.kind : ''];
  if (document.added) words.push(`+${document.added}`);
  if (document.removed) words.push(`−${document.removed}`);
  if (node.second >= 0) words.push('and from a second document');
  if (document.confidence !== undefined && node.parent >= 0) words.push(`sure by ${percent(document.confidence)}`);
  return (
    <span class="way">
      {node.parent >= 0 && <span class="unseen">derived from {safeName(group.documents[rows[node.parent].document].id)}: </span>}
      {words.filter(Boolean).join(', ')}
    </span>
  );
}

export function Tree({ group }: { group: Group }) {
  const all = useMemo(() => treeRows(group), [group]);
  const folder = useMemo(() => commonFolder(group.documents.map((document) => document.id)), [group]);
  const [shown, more] = useFirst(all.length, 100);
  const rows = all.slice(0, shown);
  const inSight = (row: number): boolean => row >= 0 && row < shown;
  const width = 20 + Math.min(DEEPEST, Math.max(...rows.map((row) => row.depth))) * INDENT;
  return (
    <>
      <div class="tree">
        <svg width={width + 60} height={rows.length * ROW} aria-hidden="true">
          {rows.map((node, row) => node.parent >= 0 && <Edge key={row} rows={rows} row={row} />)}
          {rows.map((node, row) => inSight(node.second) && <SecondEdge key={row} rows={rows} row={row} />)}
          {rows.map((node, row) => (
            <circle key={row} class={node.document === 0 ? 'node kept' : 'node'} cx={x(node)} cy={y(row)} r="5" />
          ))}
        </svg>
        <ol>
          {rows.map((node) => (
            <li key={node.document} style={{ paddingLeft: `${x(node) + 14}px`, height: `${ROW}px` }}>
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
        {plural(all.length, 'document')}; the filled dot is kept
        {all.some((node) => node.second >= 0) && '; a dashed line: text was also taken from there'}. A name leads to the
        comparison with what it derives from.
      </p>
    </>
  );
}

// The family tree of a group as rows: every document below the one it was made from.
import type { Group } from './model';

export interface Node {
  /** Place in the group's documents. */
  document: number;
  depth: number;
  /** Rows; -1: none. */
  parent: number;
  second: number;
}

/** The place of each document's parent; -1: it is a root. */
function parentsOf({ documents }: Group): { parents: number[]; seconds: number[] } {
  return {
    parents: documents.map(({ parent_place = -1 }) => parent_place),
    seconds: documents.map(({ second_place = -1 }) => second_place),
  };
}

/** How many documents are below each, itself included. */
function weights(parents: number[], topDown: number[]): Int32Array {
  const sizes = new Int32Array(parents.length).fill(1);
  for (const place of [...topDown].reverse()) if (parents[place] >= 0) sizes[parents[place]] += sizes[place];
  return sizes;
}

/**
 * Depth first, without recursion, since a chain may be long. What goes on longest comes last and straight below its parent,
 * so that a history is a line with branches, and not a staircase. A copy is no step of it.
 */
export function treeRows(group: Group): Node[] {
  const { parents, seconds } = parentsOf(group);
  const children: number[][] = group.documents.map(() => []);
  const topDown: number[] = [];
  parents.forEach((parent, place) => (parent < 0 ? topDown : children[parent]).push(place));
  const waiting = topDown.map((document) => ({ document, depth: 0 })).reverse();
  for (let i = 0; i < topDown.length; i++) for (const child of children[topDown[i]]) topDown.push(child);
  const sizes = weights(parents, topDown);
  const isCopy = (place: number): number => Number(group.documents[place].derivation === 'same');
  const rowOf = new Int32Array(group.documents.length).fill(-1);
  const rows: Node[] = [];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { document, depth } = next;
    rowOf[document] = rows.length;
    rows.push({ document, depth, parent: parents[document] < 0 ? -1 : rowOf[parents[document]], second: -1 });
    const below = children[document].sort((a, b) => sizes[b] - sizes[a] || isCopy(a) - isCopy(b) || b - a);
    const steps = below.filter((child) => !isCopy(child)).length;
    below.forEach((child, i) => {
      const straight = i === 0 && !isCopy(child) && (sizes[child] > 1 || steps === 1);
      waiting.push({ document: child, depth: straight ? depth : depth + 1 });
    });
  }
  // Names that several have may lead in a circle: nobody is lost for that.
  rowOf.forEach((row, document) => row < 0 && rows.push({ document, depth: 0, parent: -1, second: -1 }));
  for (const row of rows) if (seconds[row.document] >= 0) row.second = rowOf[seconds[row.document]];
  return rows;
}

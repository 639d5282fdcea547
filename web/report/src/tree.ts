// The family tree of a group as rows: every document below the one it derives from, further to the right.
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
function parentsOf(group: Group): { parents: number[]; seconds: number[] } {
  const places = new Map(group.documents.map((document, place) => [document.id, place]));
  const placeOf = (id: string | undefined, self: number): number => {
    const place = id === undefined ? undefined : places.get(id);
    return place === undefined || place === self ? -1 : place;
  };
  return {
    parents: group.documents.map((document, place) => placeOf(document.parent, place)),
    seconds: group.documents.map((document, place) => placeOf(document.second_parent, place)),
  };
}

/** Depth first, children in the order of the group; without recursion, since a chain may be long. */
export function treeRows(group: Group): Node[] {
  const { parents, seconds } = parentsOf(group);
  const children: number[][] = group.documents.map(() => []);
  const roots: number[] = [];
  parents.forEach((parent, place) => (parent < 0 ? roots : children[parent]).push(place));
  const rowOf = new Int32Array(group.documents.length).fill(-1);
  const rows: Node[] = [];
  const waiting = roots.map((document) => ({ document, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { document, depth } = next;
    rowOf[document] = rows.length;
    rows.push({ document, depth, parent: parents[document] < 0 ? -1 : rowOf[parents[document]], second: -1 });
    for (const child of children[document].reverse()) waiting.push({ document: child, depth: depth + 1 });
  }
  for (const row of rows) if (seconds[row.document] >= 0) row.second = rowOf[seconds[row.document]];
  return rows;
}

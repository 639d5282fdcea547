// What stands in the page: the lines of `stemma scan --json`, and the texts of groups, both packed.

export interface Document {
  id: string;
  id_bytes?: string;
  /** The data set of a record. */
  source?: string;
  source_bytes?: string;
  /** The file that it is inside of: it cannot be removed by itself. */
  container?: string;
  /** Its format; not of plain text. */
  form?: string;
  bytes: number;
  modified?: string;
  owner?: string;
  uid?: number;
}

/** Where a document stands in the family tree of its group; not there in a scan without trees. */
export interface Derivation {
  derivation?: string;
  parent?: string | null;
  second_parent?: string;
  /** Theirs in the group: 0 is the kept document, then come the members. */
  parent_place?: number;
  second_place?: number;
  second_share?: number;
  added?: number;
  removed?: number;
  moved?: number;
  confidence?: number;
  direction?: number;
}

export interface Member extends Document, Derivation {
  relation: string;
  resemblance: number;
  contained: number;
  contains: number;
  /** It could go: it is not inside another file, and nothing goes with it. */
  redundant: boolean;
}

export interface RawGroup {
  group: number;
  kept: Document & Derivation;
  redundant_bytes: number;
  members: Member[];
}

export interface Problem {
  problem: string;
  line?: number;
  cause: string;
  /** It took part, but may lack text. */
  used?: boolean;
}

export interface Head {
  report: string;
  made?: string;
  paths: string[];
  listed: number;
  text_budget: number;
  /** How documents were read, where it was said. */
  text_field?: string;
  id_field?: string;
  encoding?: string;
  /** Members that are not redundant: inside archives and the like, from where nothing is removed; */
  inside: number;
  /** and files that hold more than was compared, such as other documents, which would go with them. */
  holding: number;
}

export interface Summary {
  documents: number;
  bytes: number;
  empty: number;
  binary: number;
  problems: number;
  /** Of the problems, documents that took part. */
  damaged: number;
  repeated: number;
  /** Records with the id of another. */
  namesakes: number;
  classes: number;
  groups: number;
  redundant: number;
  redundant_bytes: number;
  seconds: number;
  thresholds: { resemblance: number; containment: number };
  keep: string;
  group: string;
  recipe: string;
}

export interface Data {
  head: Head;
  groups: RawGroup[];
  problems: Problem[];
  summary: Summary;
}

function bytesOf(base64: string): Uint8Array {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function unpack(id: string): Promise<string | undefined> {
  const block = document.getElementById(id);
  if (!block) return undefined;
  const packed = new Blob([bytesOf(block.textContent ?? '') as BlobPart]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream('deflate'))).text();
}

export async function loadData(): Promise<Data> {
  const lines = (await unpack('data-0'))?.trimEnd().split('\n');
  if (!lines) throw new Error('this page holds no data: it is the template of a report');
  const data: Partial<Data> & { groups: RawGroup[]; problems: Problem[] } = { groups: [], problems: [] };
  for (const line of lines) {
    const entry = JSON.parse(line);
    if ('members' in entry) data.groups.push(entry);
    else if ('problem' in entry) data.problems.push(entry);
    else if ('report' in entry) data.head = entry;
    else data.summary = entry.summary;
  }
  return data as Data;
}

export interface Text {
  lines: string[];
  /** The canonical text, without case and punctuation: the document could not be read again. */
  folded: boolean;
}

function linesOf(lines: string[], runs: number[]): string[] {
  const text: string[] = [];
  for (let i = 0; i < runs.length; i += 2) {
    for (let line = runs[i]; line < runs[i] + runs[i + 1]; line++) text.push(lines[line].replace(/\r$/, ''));
  }
  return text;
}

/** The texts of a group (of the kept one first); undefined for one that is not in the page. */
export async function loadTexts(index: number): Promise<(Text | undefined)[]> {
  const block = await unpack(`texts-${index}`);
  if (!block) return [];
  const { lines, documents, folded } = JSON.parse(block) as {
    lines: string[];
    documents: (number[] | number | null)[];
    folded: number[];
  };
  const foldedOnes = new Set(folded);
  const texts: (Text | undefined)[] = [];
  documents.forEach((runs, place) => {
    if (typeof runs === 'number') texts.push(texts[runs]);
    else texts.push(runs ? { lines: linesOf(lines, runs), folded: foldedOnes.has(place) } : undefined);
  });
  return texts;
}

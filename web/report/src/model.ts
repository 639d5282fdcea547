// What the views ask about the groups, worked out once.
import type { Data, Document, Derivation, Member, RawGroup } from './data';
import { splitName } from './format';

export interface Group extends RawGroup {
  index: number;
  /** The kept document, then the members. */
  documents: (Document & Derivation & Partial<Member>)[];
  /** Names in lower case, a line each, for the search. */
  haystack: string;
  lowest: number;
  /** Of the members of each relation, the least and the most share. */
  relations: Map<string, [number, number]>;
}

export const sortings = {
  saving: 'largest saving',
  documents: 'most documents',
  resemblance: 'least alike',
  newest: 'newest change',
  name: 'name',
} as const;
export type Sorting = keyof typeof sortings;

/** How much of its parent a member's relation is about. */
export const share = (member: Member): number =>
  member.relation === 'contained' ? member.contained : member.resemblance;

const SAME_FORM = 0.98; // as the program has it: conversions lose hardly any text

/** Whether a member is the kept document in another format. */
export const isAnotherForm = ({ kept }: RawGroup, { form, relation, resemblance }: Partial<Member>): boolean =>
  form !== kept.form && (relation === 'same-text' || (relation === 'near-duplicate' && resemblance! >= SAME_FORM));

function relationsOf(raw: RawGroup): Map<string, [number, number]> {
  const relations = new Map<string, [number, number]>();
  for (const member of raw.members) {
    const name = isAnotherForm(raw, member) ? 'another-form' : member.relation;
    const [least, most] = relations.get(name) ?? [1, 0];
    relations.set(name, [Math.min(least, share(member)), Math.max(most, share(member))]);
  }
  return relations;
}

export function makeGroup(raw: RawGroup, index: number): Group {
  const documents = [raw.kept, ...raw.members];
  return {
    ...raw,
    index,
    documents,
    haystack: documents.map(({ id, source = '' }) => `${source} ${id}`).join('\n').toLowerCase(),
    lowest: Math.min(...raw.members.slice(0, 10000).map(share)),
    relations: relationsOf(raw),
  };
}

const newest = (group: Group): string =>
  group.documents.reduce((latest, { modified = '' }) => (modified > latest ? modified : latest), '');

export function sortGroups(groups: Group[], sorting: Sorting): Group[] {
  const by = <T>(key: (group: Group) => T, order: 1 | -1): Group[] => {
    const keyed = groups.map((group) => ({ group, key: key(group) }));
    keyed.sort((a, b) => (a.key < b.key ? -order : a.key > b.key ? order : a.group.index - b.group.index));
    return keyed.map(({ group }) => group);
  };
  switch (sorting) {
    case 'saving':
      return by((group) => group.index, 1);
    case 'documents':
      return by((group) => group.members.length, -1);
    case 'resemblance':
      return by((group) => group.lowest, 1);
    case 'newest':
      return by(newest, -1);
    case 'name':
      return by((group) => group.kept.id, 1);
  }
}

/** Groups with a name that has every word of the query, and with a member of the relation. */
export function findGroups(groups: Group[], query: string, relation: string): Group[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const within = (haystack: string): boolean =>
    words.every((word) => haystack.includes(word)) &&
    (words.length < 2 || haystack.split('\n').some((name) => words.every((word) => name.includes(word))));
  return groups.filter((group) => (!relation || group.relations.has(relation)) && within(group.haystack));
}

// ---- charts ----

export interface Bar {
  label: string;
  value: number;
  /** What stands beside it, where the value alone says too little. */
  note?: string;
}

export function groupSizes(groups: Group[]): Bar[] {
  const limits = [2, 3, 4, 5, 6, 10, 20, 50, 100, 1000, Infinity];
  const bars: Bar[] = limits.slice(0, -1).map((from, i) => {
    const to = limits[i + 1] - 1;
    return { label: to === from ? `${from}` : to === Infinity ? `${from}+` : `${from}–${to}`, value: 0 };
  });
  for (const { members } of groups) bars[limits.findIndex((limit) => members.length + 1 < limit) - 1].value++;
  while (bars.length > 4 && bars[bars.length - 1].value === 0) bars.pop();
  return bars;
}

/** Members by resemblance, in steps of 5 %; copies apart, since they would hide all else. */
export function resemblances(groups: Group[]): { bars: Bar[]; identical: number; sameText: number } {
  const bars: Bar[] = Array.from({ length: 20 }, (_, i) => ({ label: `${i * 5}–${i * 5 + 5} %`, value: 0 }));
  let identical = 0;
  let sameText = 0;
  for (const { members } of groups) {
    for (const member of members) {
      if (member.relation === 'identical') identical++;
      else if (member.relation === 'same-text') sameText++;
      else bars[Math.min(19, Math.floor(member.resemblance * 20 + 1e-9))].value++;
    }
  }
  return { bars, identical, sameText };
}

/** The folder that all names have in common. */
export function commonFolder(names: string[]): string {
  let common = names.length ? splitName(names[0])[0] : '';
  for (const name of names) while (!name.startsWith(common)) common = splitName(common)[0];
  return common;
}

export interface Folder extends Bar {
  path: string;
}

export const removable = (group: Group): Member[] => group.members.filter((member) => member.redundant);

/** Bytes that could be removed, by the first folder that differs. */
export function redundantFolders(groups: Group[], most = 10): Folder[] {
  const members = groups.flatMap(removable);
  const name = (member: Member): string => member.source ?? member.id;
  const common = commonFolder(members.map(name));
  const folders = new Map<string, { value: number; documents: number }>();
  for (const member of members) {
    const rest = name(member).slice(common.length);
    const slash = rest.indexOf('/');
    const path = slash < 0 ? common || (member.source ?? './') : common + rest.slice(0, slash + 1);
    const sum = folders.get(path) ?? { value: 0, documents: 0 };
    sum.value += member.bytes;
    sum.documents++;
    folders.set(path, sum);
  }
  return [...folders]
    .map(([path, { value, documents }]) => ({ path, label: path, value, note: `${documents}` }))
    .sort((a, b) => b.value - a.value || (a.path < b.path ? -1 : 1))
    .slice(0, most);
}

export interface Report extends Omit<Data, 'groups'> {
  groups: Group[];
  /** Names of documents that took part, but may lack text. */
  damaged: Set<string>;
}

export const makeReport = (data: Data): Report => ({
  ...data,
  groups: data.groups.map(makeGroup),
  damaged: new Set(data.problems.flatMap(({ problem, used }) => (used ? [problem] : []))),
});

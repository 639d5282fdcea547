import { useDeferred, useMedia } from '../hooks';
import { useMemo, useState } from 'preact/hooks';
import { bytes, plural, relation as relationWords } from '../format';
import { findGroups, sortGroups, sortings, type Group, type Report, type Sorting } from '../model';
import { Name, Relation } from './parts';
import { VirtualList } from './VirtualList';

const ROW = { wide: 64, narrow: 88 }; // CSS pixels: on a phone relations have a line of their own

/** What was searched for and where the list stood, when one comes back from a group. */
const memory = { asked: undefined as string | undefined, query: '', relation: '', sorting: 'saving' as Sorting, place: { active: 0, top: 0 } };

function Row({ group, link }: { group: Group; link: object }) {
  return (
    <a class="row" href={`#/group/${group.group}`} {...link}>
      <Name of={group.kept} short />
      <span class="facts">
        <span class="size">{plural(group.documents.length, 'document')}</span>
        <span class="relations">
          {[...group.relations].map(([name, share]) => (
            <Relation key={name} name={name} share={share} />
          ))}
        </span>
        <span class="saving">{bytes(group.redundant_bytes)}</span>
      </span>
    </a>
  );
}

export function Groups({ report, query: asked }: { report: Report; query?: string }) {
  if (asked !== memory.asked) Object.assign(memory, { asked, query: asked ?? '', relation: '', place: { active: 0, top: 0 } });
  const [query, setQuery] = useState(memory.query);
  const [relation, setRelation] = useState(memory.relation);
  const [sorting, setSorting] = useState<Sorting>(memory.sorting);
  const narrow = useMedia('(max-width: 46rem)');
  const settled = useDeferred(query);
  const relations = useMemo(() => [...new Set(report.groups.flatMap((group) => [...group.relations.keys()]))].sort(), [report]);
  const sorted = useMemo(() => sortGroups(report.groups, sorting), [report, sorting]);
  const found = useMemo(() => findGroups(sorted, settled, relation), [sorted, settled, relation]);

  const change = <K extends 'query' | 'relation' | 'sorting'>(name: K, value: (typeof memory)[K]) => {
    memory[name] = value;
    memory.place = { active: 0, top: 0 };
  };
  return (
    <div class="groups-view">
      <h1 tabIndex={-1}>Groups</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label class="wide">
          <span>Search names</span>
          <input
            type="search"
            value={query}
            placeholder="part of a name or folder"
            onInput={(event) => {
              change('query', event.currentTarget.value);
              setQuery(event.currentTarget.value);
            }}
          />
        </label>
        <label>
          <span>With members</span>
          <select
            value={relation}
            onChange={(event) => {
              change('relation', event.currentTarget.value);
              setRelation(event.currentTarget.value);
            }}
          >
            <option value="">of any relation</option>
            {relations.map((name) => (
              <option key={name} value={name}>
                {relationWords(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Order</span>
          <select
            value={sorting}
            onChange={(event) => {
              change('sorting', event.currentTarget.value as Sorting);
              setSorting(event.currentTarget.value as Sorting);
            }}
          >
            {Object.entries(sortings).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </form>
      <p class="found" role="status">
        {found.length === report.groups.length ? plural(found.length, 'group') : `${plural(found.length, 'group')} of ${report.groups.length}`}
        {found.length > 0 && `, ${bytes(found.reduce((sum, group) => sum + group.redundant_bytes, 0))} redundant`}
      </p>
      <VirtualList
        key={`${settled}\n${relation}\n${sorting}`}
        count={found.length}
        rowHeight={narrow ? ROW.narrow : ROW.wide}
        label="Groups"
        place={memory.place}
        row={(index, link) => <Row group={found[index]} link={link} />}
      />
    </div>
  );
}

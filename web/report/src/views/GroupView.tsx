import { bytes, date, plural, safeName } from '../format';
import { isAnotherForm, type Group, type Report } from '../model';
import type { Member } from '../data';
import { Meter, Name, Relation, Section, useFirst } from './parts';
import { Tree } from './Tree';

const owner = ({ owner, uid }: { owner?: string; uid?: number }): string => owner ?? (uid === undefined ? '' : `${uid}`);

interface RowProps {
  group: Group;
  place: number;
  owners: boolean;
  damaged: boolean;
}

function MemberRow({ group, place, owners, damaged }: RowProps) {
  const document = group.documents[place];
  const member = place > 0 ? (document as Member) : undefined;
  return (
    <tr class={member ? '' : 'kept'}>
      <th scope="row">
        <Name of={document} />
        {damaged && (
          <>
            {' '}
            <a class="state used" href="#/problems">
              may lack text
            </a>
          </>
        )}
      </th>
      <td data-label="Relation">
        <Relation name={member?.relation ?? 'kept'} anotherForm={member && isAnotherForm(group, member)} />
      </td>
      <td data-label="Resemblance">{member && <Meter share={member.resemblance} label="resemblance" />}</td>
      <td data-label="In the kept">{member && <Meter share={member.contained} label="in the kept one" />}</td>
      <td class="number" data-label="Size">
        {bytes(document.bytes)}
      </td>
      <td data-label="Changed">{document.modified && <time dateTime={document.modified}>{date(document.modified)}</time>}</td>
      {owners && <td data-label="Owner">{owner(document)}</td>}
      <td class="action">
        {member && (
          <a href={`#/group/${group.group}/compare/0/${place}`}>
            Compare<span class="unseen"> {safeName(document.id)} with the kept document</span>
          </a>
        )}
      </td>
    </tr>
  );
}

/** Where all belong to one, as mostly, nobody needs to be told. */
function Members({ report, group }: { report: Report; group: Group }) {
  const [shown, more] = useFirst(group.documents.length, 200);
  const owners = group.documents.some((document) => owner(document) !== owner(group.kept));
  return (
    <>
      <div class="table-frame" tabIndex={0} role="region" aria-label="Members, as a table">
        <table class="members">
          <thead>
            <tr>
              <th scope="col">Document</th>
              <th scope="col">Relation</th>
              <th scope="col">Resemblance</th>
              <th scope="col">In the kept</th>
              <th scope="col" class="number">
                Size
              </th>
              <th scope="col">Changed</th>
              {owners && <th scope="col">Owner</th>}
              <th scope="col">
                <span class="unseen">Comparison</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {group.documents.slice(0, shown).map(({ id }, place) => (
              <MemberRow key={place} group={group} place={place} owners={owners} damaged={report.damaged.has(id)} />
            ))}
          </tbody>
        </table>
      </div>
      {more}
    </>
  );
}

export function Neighbours({ report, group }: { report: Report; group: Group }) {
  const before = report.groups[group.index - 1];
  const next = report.groups[group.index + 1];
  return (
    <nav class="neighbours" aria-label="Groups">
      <a href="#/groups">All groups</a>
      {before && <a href={`#/group/${before.group}`}>← Group {before.group}</a>}
      {next && <a href={`#/group/${next.group}`}>Group {next.group} →</a>}
    </nav>
  );
}

export function GroupView({ report, group }: { report: Report; group: Group }) {
  return (
    <>
      <Neighbours report={report} group={group} />
      <h1 tabIndex={-1}>Group {group.group}</h1>
      <p class="lead">
        {plural(group.documents.length, 'document')}, {bytes(group.redundant_bytes)} could be removed. Kept is{' '}
        <Name of={group.kept} />.
      </p>
      <Section title="Members" id="members">
        <Members report={report} group={group} />
      </Section>
      <Section title="Family tree" id="tree">
        <Tree group={group} key={group.index} />
      </Section>
      {group.members.length > 1 && (
        <p>
          <a href={`#/group/${group.group}/compare/1/2`}>Compare any two of them</a>
        </p>
      )}
    </>
  );
}

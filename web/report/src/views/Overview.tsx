import { bytes, count, date, percent, plural, safeName } from '../format';
import { groupSizes, redundantFolders, removable, resemblances, type Report } from '../model';
import { Columns, Folders } from './Charts';
import { Name, Section } from './parts';

function Figure({ value, words, note }: { value: string; words: string; note?: string }) {
  return (
    <div class="figure">
      <dt>{words}</dt>
      <dd>
        {value}
        {note && <span class="note">{note}</span>}
      </dd>
    </div>
  );
}

/** The least resemblance that is there decides where the axis begins. */
function Resemblance({ report }: { report: Report }) {
  const { bars, identical, sameText } = resemblances(report.groups);
  const besides = [
    identical && plural(identical, 'identical document'),
    sameText && `${count(sameText)} with the same text`,
  ].filter(Boolean);
  const first = Math.min(12, Math.max(0, bars.findIndex((bar) => bar.value > 0)));
  return (
    <Section title="Resemblance" id="chart-resemblance">
      <p class="faint">
        Of members with what is kept; what is contained in it may resemble it little.
        {besides.length > 0 && ` Besides ${besides.join(' and ')}.`}
      </p>
      <Columns bars={bars.slice(first - (first % 2))} head="Resemblance" unit="Documents" every={2} />
    </Section>
  );
}

function Method({ report }: { report: Report }) {
  const { summary, head } = report;
  const rows: [string, string][] = [
    ['Searched', head.paths.map(safeName).join(', ') || 'a list of files'],
    ['Near-duplicate', `resemblance from ${percent(summary.thresholds.resemblance)}`],
    [
      'Contained',
      summary.thresholds.containment > 0 ? `containment from ${percent(summary.thresholds.containment)}` : 'not looked for',
    ],
    ['Kept of a group', summary.keep],
    ['Groups', summary.group],
    ['Recipe', summary.recipe],
    ['Different texts', count(summary.classes)],
    ['Without text', count(summary.empty)],
    ['Binary (compared by their bytes alone)', count(summary.binary)],
    ['Took', `${summary.seconds.toFixed(2)} s`],
    ['Made', `${head.made ? `${date(head.made)}, ${head.made.slice(11, 16)} UTC, ` : ''}by stemma ${head.report}`],
  ];
  return (
    <Section title="How this was found" id="method">
      <dl class="pairs">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function problemNote({ problems, damaged }: Report['summary']): string {
  if (problems === 0) return 'everything was read';
  if (damaged === 0) return 'could not be read';
  return damaged === problems ? 'may lack text' : `of them ${count(damaged)} may lack text`;
}

export function Overview({ report }: { report: Report }) {
  const { summary, groups } = report;
  const { inside, holding } = report.head;
  return (
    <>
      <h1 tabIndex={-1}>
        {summary.groups === 0
          ? 'No near-duplicates'
          : `${plural(summary.redundant, 'document')} of ${count(summary.documents)} could be removed`}
      </h1>
      {inside > 0 && <p class="lead">{count(inside)} more inside other files, such as archives.</p>}
      {holding > 0 && <p class="lead">{count(holding)} left, as {holding === 1 ? 'it holds' : 'they hold'} more than was compared.</p>}
      <dl class="figures">
        <Figure value={count(summary.documents)} words="Documents" note={bytes(summary.bytes)} />
        <Figure value={count(summary.groups)} words="Groups" note={`of ${plural(summary.redundant + inside + holding + summary.groups, 'document')}`} />
        <Figure value={bytes(summary.redundant_bytes)} words="Redundant" note={`${percent(summary.bytes ? summary.redundant_bytes / summary.bytes : 0)} of all bytes`} />
        <Figure value={count(summary.problems)} words="Problems" note={problemNote(summary)} />
      </dl>
      {groups.length > 0 && (
        <>
          <div class="charts">
            <Section title="Sizes of groups" id="chart-sizes">
              <p class="faint">How many groups have so many documents.</p>
              <Columns bars={groupSizes(groups)} head="Documents in the group" unit="Groups" />
            </Section>
            <Resemblance report={report} />
            <Section title="Redundancy by folder" id="chart-folders">
              <p class="faint">What could be removed, by where it lies.</p>
              <Folders folders={redundantFolders(groups)} />
            </Section>
            <Section title="Largest savings" id="largest">
              <ol class="largest">
                {groups.slice(0, 5).map((group) => (
                  <li key={group.index}>
                    <a href={`#/group/${group.group}`}>
                      <Name of={group.kept} short />
                    </a>
                    <span class="amount">
                      {bytes(group.redundant_bytes)} <span class="faint">in {plural(removable(group).length, 'document')}</span>
                    </span>
                  </li>
                ))}
              </ol>
              <p>
                <a href="#/groups">All {plural(groups.length, 'group')}</a>
              </p>
            </Section>
          </div>
          {groups.length < summary.groups && (
            <p class="notice">
              The {count(groups.length)} groups that save most are listed here; {count(summary.groups - groups.length)} more
              are in the output of stemma scan --json and --csv. Charts show what is listed.
            </p>
          )}
        </>
      )}
      <Method report={report} />
    </>
  );
}

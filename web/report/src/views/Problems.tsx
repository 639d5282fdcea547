import type { Problem } from '../data';
import { count, plural, safeName, shownName } from '../format';
import type { Report } from '../model';
import { useFirst } from './parts';

function leadOf({ problems }: Report): string {
  const damaged = problems.filter((problem) => problem.used).length;
  const unread = problems.length - damaged;
  if (problems.length === 0) return 'Everything could be read.';
  if (damaged === 0) return `${plural(unread, 'document')} could not be read: compared by bytes alone, if at all.`;
  const used = 'took part, but may lack text';
  return unread === 0
    ? `${plural(damaged, 'document')} ${used}.`
    : `${plural(unread, 'document')} could not be read: compared by bytes alone, if at all; ${count(damaged)} ${used}.`;
}

/** The cause begins with the name, which stands above it. */
function causeOf({ problem, cause }: Problem): string {
  const beginning = [`cannot read '${problem}': `, `'${problem}' may lack text: `].find((words) => cause.startsWith(words));
  return safeName(beginning ? cause.slice(beginning.length) : cause);
}

export function Problems({ report }: { report: Report }) {
  const [shown, more] = useFirst(report.problems.length, 500);
  return (
    <>
      <h1 tabIndex={-1}>Problems</h1>
      <p class="lead">{leadOf(report)}</p>
      <ul class="problems">
        {report.problems.slice(0, shown).map((problem, i) => (
          <li key={i}>
            <bdi class="name">
              {shownName(problem.problem)}
              {problem.line ? `, line ${problem.line}` : ''}
            </bdi>{' '}
            <span class={problem.used ? 'state used' : 'state'}>{problem.used ? 'may lack text' : 'not read'}</span>
            <p class="cause">{causeOf(problem)}</p>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

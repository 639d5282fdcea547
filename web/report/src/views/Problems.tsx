import { plural, safeName } from '../format';
import type { Report } from '../model';
import { useFirst } from './parts';

export function Problems({ report }: { report: Report }) {
  const [shown, more] = useFirst(report.problems.length, 500);
  return (
    <>
      <h1 tabIndex={-1}>Problems</h1>
      <p class="lead">
        {report.problems.length === 0
          ? 'Everything could be read.'
          : `${plural(report.problems.length, 'document')} could not be read, and took no part.`}
      </p>
      <ul class="problems">
        {report.problems.slice(0, shown).map((problem, i) => (
          <li key={i}>
            <bdi class="name">
              {safeName(problem.problem)}
              {problem.line ? `, line ${problem.line}` : ''}
            </bdi>
            <span class="cause">{safeName(problem.cause)}</span>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}
